import { type Answer, text, useReplicas } from '@agentrelay/testing';

const LIMIT = 20_000;

describe.each([1, 2])('a thread that is nearly full, over %i replica(s)', (replicas) => {
  const { relay, urlOf } = useReplicas(replicas, { RELAY_LIMIT_THREAD_BYTES: String(LIMIT) });

  it('takes parallel messages up to its bound and none beyond, and its result even then', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id } = await bob.send('frank');
    await frank.accept(task_id);
    // 406 bytes besides the text each; the summary takes as much and its own text.
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        (i % 2 ? bob : frank).at(urlOf(i >> 1)).rpc('message/send', { task_id, message: text('x'.repeat(594)) }),
      ),
    );
    const symbol = ({ body }: Answer): string =>
      (body as { error?: { data: { code: string } } }).error?.data.code ?? 'done';
    const outcomes = answers.map(symbol).sort();
    expect(outcomes).toEqual([...Array<string>(19).fill('done'), ...Array<string>(41).fill('invalid_params')]);
    expect(await stored()).toEqual([{ counted: 19_425, held: 19_425, messages: 20 }]);
    await frank.complete(task_id, { artifacts: [{ type: 'file_diff', path: 'a', diff: 'x'.repeat(2_000) }] });
    const [ended] = await stored();
    expect(ended).toMatchObject({ messages: 21, counted: ended!.held });
    expect(ended!.held).toBeGreaterThan(LIMIT);
  });

  it('says what to do to whoever adds one more', async () => {
    const { bob } = await relay.pair();
    const { task_id } = await bob.send('frank');
    for (let n = 0; n < 2; n++) await bob.append(task_id, 'x'.repeat(9_000));
    expect(await bob.refusal('message/send', { task_id, message: text('x'.repeat(9_000)) })).toMatchObject({
      symbol: 'invalid_params',
      message: `A thread holds at most ${LIMIT} bytes, and this message does not fit any more. Refer to large content with a file_ref, or complete the thread and send a new handoff.`,
      details: { limit_bytes: LIMIT },
    });
  });

  function stored(): Promise<{ counted: number; held: number; messages: number }[]> {
    return relay.database.query(`
      SELECT thread_bytes::integer AS counted, sum(m.bytes)::integer AS held, count(*)::integer AS messages
      FROM handoffs h JOIN messages m ON m.handoff_id = h.id
      WHERE m.bytes = message_bytes(m.body, m.payload, m.artifacts) GROUP BY thread_bytes`);
  }
});

import type { WireAppended } from '@agentrelay/protocol';
import { text, useReplicas } from '@agentrelay/testing';

describe.each([1, 2])('one thread under parallel calls, over %i replica(s)', (replicas) => {
  const { relay, urlOf } = useReplicas(replicas);

  it('ends in one legal way for each of 200 races of cancel against accept', async () => {
    const { bob, frank } = await relay.pair();
    const ids: string[] = [];
    for (let i = 0; i < 200 / replicas; i++) ids.push((await bob.send('frank')).task_id);
    const race = async (task_id: string, i: number): Promise<string> => {
      const accept = () => frank.at(urlOf(i)).rpc('tasks/update', { task_id, transition: 'accept' });
      const cancel = () => bob.at(urlOf(i + 1)).rpc('tasks/cancel', { task_id });
      const calls = i % 2 ? [accept, cancel] : [cancel, accept];
      const answers = await Promise.all(calls.map((call) => call()));
      const [accepted, cancelled] = i % 2 ? answers : answers.reverse();
      const symbol = (body: unknown) => (body as { error?: { data: { code: string } } }).error?.data.code ?? 'done';
      return `${symbol(accepted?.body)}/${symbol(cancelled?.body)}`;
    };
    const ENDS: Record<string, string> = {
      'done/invalid_transition': 'accepted',
      'thread_terminal/done': 'cancelled',
    };
    const outcomes: string[] = [];
    for (let i = 0; i < ids.length; i += 20) {
      outcomes.push(...(await Promise.all(ids.slice(i, i + 20).map((id, n) => race(id, i + n)))));
    }
    const rows = await relay.database.query<{ id: string; status: string }>('SELECT id, status FROM handoffs');
    const status = new Map(rows.map((row) => [row.id, row.status]));
    expect(outcomes.map((outcome) => ENDS[outcome] ?? outcome)).toEqual(ids.map((id) => status.get(id)));
    expect(
      await relay.database.query(
        `SELECT handoff_id FROM events WHERE type IN ('handoff.accepted', 'handoff.cancelled')`,
      ),
    ).toHaveLength(ids.length);
  });

  it('numbers a hundred parallel messages of both sides without a gap', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id } = await bob.send('frank');
    const appended = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        (i % 2 ? bob : frank)
          .at(urlOf(i >> 1))
          .call<WireAppended>('message/send', { task_id, message: text(`message ${i}`) }),
      ),
    );
    const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
    expect(appended.map(({ sequence_no }) => sequence_no).sort((a, b) => a - b)).toEqual(upTo(101, 2));
    const { messages } = await bob.get(task_id);
    expect(messages.map(({ sequence_no }) => sequence_no)).toEqual(upTo(101));
    for (const [i, { sequence_no, message_id }] of appended.entries()) {
      expect(messages[sequence_no - 1]).toMatchObject({ id: message_id, body: `message ${i}` });
    }
    expect(
      await relay.database.query('SELECT message_count, sender_message_count, recipient_message_count FROM handoffs'),
    ).toEqual([{ message_count: 101, sender_message_count: 51, recipient_message_count: 50 }]);
    const times = messages.map(({ created_at }) => created_at);
    expect(times).toEqual([...times].sort());
  });

  it('takes no message after its result, however they race', async () => {
    const { bob, frank } = await relay.pair();
    for (let round = 0; round < 20; round++) {
      const { task_id } = await bob.send('frank');
      await frank.accept(task_id);
      const append = { task_id, message: text('more') };
      const complete = { task_id, transition: 'complete', result_summary: 'Done.' };
      const [first, completed, second] = await Promise.all([
        bob.at(urlOf(round)).rpc('message/send', append),
        frank.at(urlOf(round + 1)).rpc('tasks/update', complete),
        bob.at(urlOf(round + 1)).rpc('message/send', append),
      ]);
      expect(completed.status).toBe(200);
      const stored = [first, second].filter(({ status }) => status === 200).length;
      for (const { status, body } of [first, second].filter((answer) => answer.status !== 200)) {
        expect([status, body]).toMatchObject([409, { error: { data: { code: 'thread_terminal' } } }]);
      }
      const { messages } = await bob.get(task_id);
      expect(messages.map(({ sequence_no, kind }) => [sequence_no, kind])).toEqual([
        [1, 'summary'],
        ...Array.from({ length: stored }, (_, i) => [i + 2, 'message']),
        [stored + 2, 'result'],
      ]);
    }
  });
});

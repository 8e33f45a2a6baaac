import type { WireAppended, WireSent } from '@agentrelay/protocol';
import { text, useReplicas } from '@agentrelay/testing';

const CALLS = 50;

describe.each([1, 2])('fifty equal calls under one idempotency key, over %i replica(s)', (replicas) => {
  const { relay, urlOf } = useReplicas(replicas);

  function together<Result extends { replayed?: true }>(call: (urlOf: string) => Promise<Result>): Promise<Result[]> {
    return Promise.all(Array.from({ length: CALLS }, (_, i) => call(urlOf(i))));
  }

  function expectOneWriteOf(results: { replayed?: true }[]): void {
    const [first, ...more] = results.filter(({ replayed }) => replayed === undefined);
    expect(more).toEqual([]);
    expect(results.map((result) => ({ ...result, replayed: true }))).toEqual(
      results.map(() => ({ ...first, replayed: true })),
    );
  }

  it('that send make one handoff and fifty equal answers', async () => {
    const { bob } = await relay.pair();
    const params = { recipient: 'frank', message: text('x'), metadata: { client_idempotency_key: 'k' } };
    // Links are the replica's own here; with RELAY_PUBLIC_URL set they are the same everywhere.
    const results = await together(async (url) => {
      const { inbox_url: _, ...sent } = await bob.at(url).call<WireSent>('message/send', params);
      return sent;
    });
    expectOneWriteOf(results);
    expect(await relay.database.query('SELECT id FROM handoffs')).toEqual([{ id: results[0]!.task_id }]);
    expect(await relay.database.query('SELECT sequence_no FROM messages')).toEqual([{ sequence_no: 1 }]);
    expect(await relay.database.query(`SELECT id FROM events WHERE type = 'handoff.created'`)).toHaveLength(1);
  });

  it('that append make one message and fifty equal answers', async () => {
    const { bob } = await relay.pair();
    const { task_id } = await bob.send('frank');
    const params = { task_id, message: text('x'), idempotency_key: 'k' };
    const results = await together((url) => bob.at(url).call<WireAppended>('message/send', params));
    expectOneWriteOf(results);
    expect((await bob.get(task_id)).messages).toHaveLength(2);
  });

  it('that cancel cancel once, with fifty equal answers', async () => {
    const { bob } = await relay.pair();
    const { task_id } = await bob.send('frank');
    expectOneWriteOf(await together((url) => bob.at(url).cancel(task_id, { idempotency_key: 'k' })));
    expect(await relay.database.query(`SELECT version FROM handoffs`)).toEqual([{ version: 2 }]);
  });

  it('that accept without a session accept once, with fifty equal answers', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id } = await bob.send('frank');
    expectOneWriteOf(await together((url) => frank.at(url).accept(task_id, { idempotency_key: 'k' })));
  });

  it('that complete leave one result, with fifty equal answers', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id } = await bob.send('frank');
    await frank.accept(task_id);
    expectOneWriteOf(await together((url) => frank.at(url).complete(task_id, { idempotency_key: 'k' })));
    expect((await bob.get(task_id)).messages.map(({ kind }) => kind)).toEqual(['summary', 'result']);
  });

  it('of which half have other arguments: one wins, and the other half is refused', async () => {
    const { bob } = await relay.pair();
    const answers = await Promise.all(
      Array.from({ length: CALLS }, async (_, i) => {
        const params = { recipient: 'frank', message: text(`body ${i % 2}`), idempotency_key: 'k' };
        return (await bob.at(urlOf(i >> 1)).rpc('message/send', params)).status;
      }),
    );
    const half = (odd: number) => new Set(answers.filter((_, i) => i % 2 === odd));
    expect([half(0), half(1)]).toEqual(expect.arrayContaining([new Set([200]), new Set([409])]));
    expect(await relay.database.query('SELECT id FROM handoffs')).toHaveLength(1);
  });
});

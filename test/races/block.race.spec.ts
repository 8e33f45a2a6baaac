import { eventually, type TestAgent, text, useReplicas } from '@agentrelay/testing';
import type { Client } from 'pg';

/** What a block does before it commits. */
async function blockUncommitted(connection: Client, blocker: TestAgent, blocked: TestAgent): Promise<void> {
  await connection.query('SELECT FROM agents WHERE id = $1 FOR NO KEY UPDATE', [blocker.agentId]);
  await connection.query('INSERT INTO blocks (blocker_id, blocked_id) VALUES ($1, $2)', [
    blocker.agentId,
    blocked.agentId,
  ]);
}

describe.each([1, 2])('a block against a send, over %i replica(s)', (replicas) => {
  const { relay, urlOf } = useReplicas(replicas);

  /** Waits until so many backends of the relay wait for a lock. */
  function waiting(count: number): Promise<true> {
    return eventually(`${count} backend(s) wait for a lock`, async () => {
      const rows = await relay.database.query(
        `SELECT pid FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'agentrelay' AND wait_event_type = 'Lock'`,
      );
      return rows.length === count;
    });
  }

  it.each([
    ['a new handoff', 'message/send', 'bob', (_: string) => ({ recipient: 'frank', message: text('x') })],
    ['a message', 'message/send', 'bob', (task_id: string) => ({ task_id, message: text('x') })],
    ['an accept by the blocker', 'tasks/update', 'frank', (task_id: string) => ({ task_id, transition: 'accept' })],
  ] as const)('wins over %s that had not committed: it waits, then is refused', async (_, method, who, paramsOf) => {
    const { bob, frank } = await relay.pair();
    const { task_id } = await bob.send('frank');
    const answer = await relay.database.inTransaction(async (blocker) => {
      await blockUncommitted(blocker, frank, bob);
      const call = { bob, frank }[who].at(urlOf(1)).rpc(method, paramsOf(task_id));
      await waiting(1);
      await blocker.query('COMMIT');
      return call;
    });
    expect(answer).toMatchObject({
      status: 403,
      body: { error: { code: -32013, data: { code: 'teammate_blocked' } } },
    });
    expect(await relay.database.query('SELECT status, message_count FROM handoffs')).toEqual([
      { status: 'pending', message_count: 1 },
    ]);
  });

  it('that is rolled back lets the waiting send through', async () => {
    const { bob, frank } = await relay.pair();
    const sent = await relay.database.inTransaction(async (blocker) => {
      await blockUncommitted(blocker, frank, bob);
      const send = bob.at(urlOf(1)).send('frank');
      await waiting(1);
      await blocker.query('ROLLBACK');
      return send;
    });
    expect(sent.recipient).toBe('frank@acme');
  });

  it('waits for a send that came first, and holds for all that come later', async () => {
    const { bob, frank } = await relay.pair();
    // The uncommitted record stops the send in its last statement, where it already holds the recipient's row.
    const answers = await relay.database.inTransaction(async (holder) => {
      await holder.query(
        `INSERT INTO idempotency_records
         VALUES ($1 || '/agent', 'handoff.send', 'k', '', gen_random_uuid(), 1, 1, now(), now() + interval '1 day')`,
        [bob.agentId],
      );
      const params = { recipient: 'frank', message: text('x'), idempotency_key: 'k' };
      const send = bob.at(urlOf(0)).rpc('message/send', params);
      await waiting(1);
      const block = frank.at(urlOf(1)).rest('POST', '/agents/me/block', { handle: 'bob' });
      await waiting(2);
      await holder.query('ROLLBACK');
      return [(await send).status, (await block).status];
    });
    expect(answers).toEqual([200, 200]);
    expect((await bob.refusal('message/send', { recipient: 'frank', message: text('x') })).symbol).toBe(
      'teammate_blocked',
    );
  });

  it('that has returned wins at once on every replica, under load', async () => {
    const { bob, frank } = await relay.pair();
    let returned = false;
    const late: number[] = [];
    const sender = async (url: string): Promise<void> => {
      for (let after = 0; after < 3;) {
        const startedAfter = returned;
        const { status } = await bob.at(url).rpc('message/send', { recipient: 'frank', message: text('x') });
        if (!startedAfter) continue;
        after++;
        late.push(status);
      }
    };
    const senders = Array.from({ length: 8 }, (_, i) => sender(urlOf(i)));
    await frank.at(urlOf(1)).rest('POST', '/agents/me/block', { handle: 'bob' });
    returned = true;
    await Promise.all(senders);
    expect(late).toEqual(Array.from({ length: 24 }, () => 403));
  });
});

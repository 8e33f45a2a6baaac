import { eventually, type TestAgent, text, useReplicas } from '@agentrelay/testing';
import type { Client } from 'pg';

const { relay, urlOf } = useReplicas(2);

/** Two agents; locks on agents are taken in order of their ids, so `late` has none while it waits for `early`. */
async function pair(): Promise<{ early: TestAgent; late: TestAgent }> {
  const early = await relay.agent('early@acme');
  return { early, late: await relay.agent('late@acme') };
}

function lock(connection: Client, { agentId }: TestAgent): Promise<unknown> {
  return connection.query('SELECT FROM agents WHERE id = $1 FOR NO KEY UPDATE', [agentId]);
}

function disable(connection: Client, { agentId }: TestAgent): Promise<unknown> {
  return connection.query(`UPDATE agents SET status = 'disabled' WHERE id = $1`, [agentId]);
}

function waitsForLock(): Promise<true> {
  return eventually('a backend waits for a lock', async () => {
    const rows = await relay.database.query(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'agentrelay' AND wait_event_type = 'Lock'`,
    );
    return rows.length === 1;
  });
}

async function keyIdOf(agent: TestAgent): Promise<string> {
  const { body } = await agent.rest<{ keys: { key_id: string; current: boolean }[] }>('GET', '/agents/me/keys');
  return body.keys.find(({ current }) => current)!.key_id;
}

/** Everything that a write changes. */
function contents(): Promise<object[]> {
  return relay.database.query(
    `SELECT (SELECT json_agg(h ORDER BY id) FROM handoffs h) AS handoffs, (SELECT count(*) FROM messages) AS messages,
       (SELECT count(*) FROM events WHERE handoff_id IS NOT NULL) AS events`,
  );
}

interface Tasks {
  sent: string;
  pending: string;
  accepted: string;
}

/** What `late` does with what it sent, and with what it was sent. */
const WRITES: [name: string, method: string, paramsOf: (tasks: Tasks) => object][] = [
  ['a new handoff', 'message/send', () => ({ recipient: 'early', message: text('x') })],
  ['a message', 'message/send', ({ sent: task_id }) => ({ task_id, message: text('x') })],
  ['a cancellation', 'tasks/cancel', ({ sent: task_id }) => ({ task_id })],
  ['an acceptance', 'tasks/update', ({ pending: task_id }) => ({ task_id, transition: 'accept' })],
  [
    'a result',
    'tasks/update',
    ({ accepted: task_id }) => ({ task_id, transition: 'complete', result_summary: 'Done.' }),
  ],
];

async function tasksOf({ early, late }: { early: TestAgent; late: TestAgent }): Promise<Tasks> {
  const [sent, pending, accepted] = [await late.send('early'), await early.send('late'), await early.send('late')];
  await late.accept(accepted.task_id);
  return { sent: sent.task_id, pending: pending.task_id, accepted: accepted.task_id };
}

describe.each(WRITES)('%s that waits for a lock', (_, method, paramsOf) => {
  it.each<[string, (late: TestAgent, holder: Client) => Promise<unknown>]>([
    [
      'is revoked',
      async (late) => {
        const { status } = await relay.admin('DELETE', `/admin/agents/${late.handle}/keys/${await keyIdOf(late)}`);
        expect(status).toBe(200);
      },
    ],
    [
      'expires',
      (late) =>
        relay.database.query('UPDATE api_keys SET expires_at = clock_timestamp() WHERE agent_id = $1', [late.agentId]),
    ],
    ['is of an agent that is disabled', (late, holder) => disable(holder, late)],
  ])('is refused, and changes nothing, when its key %s meanwhile', async (_end, end) => {
    const agents = await pair();
    const { early, late } = agents;
    const params = paramsOf(await tasksOf(agents));
    expect((await late.at(urlOf(1)).rest('GET', '/agents/me')).status).toBe(200);
    const before = await contents();
    const answer = await relay.database.inTransaction(async (holder) => {
      await lock(holder, early);
      const call = late.at(urlOf(1)).rpc(method, params);
      await waitsForLock();
      await end(late, holder);
      await holder.query('COMMIT');
      return call;
    });
    expect(answer).toMatchObject({ status: 401, body: { error: { code: -32001, data: { code: 'unauthenticated' } } } });
    expect(await contents()).toEqual(before);
  });
});

it.each(WRITES.slice(0, 2))(
  '%s that waits for a lock is refused when the other participant is disabled meanwhile',
  async (_, method, paramsOf) => {
    const agents = await pair();
    const params = paramsOf(await tasksOf(agents));
    const before = await contents();
    const answer = await relay.database.inTransaction(async (holder) => {
      await disable(holder, agents.early);
      const call = agents.late.at(urlOf(1)).rpc(method, params);
      await waitsForLock();
      await holder.query('COMMIT');
      return call;
    });
    expect(answer).toMatchObject({ status: 404, body: { error: { data: { code: 'recipient_not_found' } } } });
    expect(await contents()).toEqual(before);
  },
);

it.each<[string, (late: TestAgent) => Promise<{ status: number }>]>([
  ['a card', (late) => late.rest('PUT', '/agents/me/card', { skills: ['x'] })],
  ['a block', (late) => late.rest('POST', '/agents/me/block', { handle: 'early' })],
  ['the end of a block', (late) => late.rest('DELETE', '/agents/me/block/early')],
])('%s that waits for a lock is refused, and changes nothing, when the key expires meanwhile', async (_, write) => {
  const { late } = await pair();
  const state = `SELECT (SELECT json_agg(c) FROM cards c) AS cards, (SELECT count(*) FROM blocks) AS blocks,
    (SELECT count(*) FROM events) AS events`;
  const before = await relay.database.query(state);
  const answer = await relay.database.inTransaction(async (holder) => {
    await lock(holder, late);
    const call = write(late);
    await waitsForLock();
    await relay.database.query('UPDATE api_keys SET expires_at = clock_timestamp() WHERE agent_id = $1', [
      late.agentId,
    ]);
    await holder.query('COMMIT');
    return call;
  });
  expect(answer.status).toBe(401);
  expect(await relay.database.query(state)).toEqual(before);
});

import { MaintenanceService } from '../../apps/relay/src/maintenance/maintenance.service';
import { eventually, type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay({ RELAY_RETENTION_EVENTS_DAYS: '90', RELAY_RETENTION_THREADS_DAYS: '30' });

let bob: TestAgent;
let frank: TestAgent;

beforeEach(async () => {
  ({ bob, frank } = await relay.pair());
});

const maintenance = () => relay.app.get(MaintenanceService).run();

/** Makes every event so far so many days old. */
async function ageEvents(days: number): Promise<void> {
  await relay.database.inTransaction(async (client) => {
    await client.query(`SET LOCAL session_replication_role = 'replica'`);
    await client.query(`UPDATE events SET created_at = created_at - make_interval(days => $1)`, [days]);
    await client.query('COMMIT');
  });
}

const count = async (table: string): Promise<number> => {
  const [row] = await relay.database.query<{ n: number }>(`SELECT count(*)::integer AS n FROM ${table}`);
  return row!.n;
};

describe('expired idempotency records', () => {
  it('go in batches, and those that still count stay', async () => {
    const first = await bob.send('frank', { idempotency_key: 'fresh' });
    await relay.database.query(
      `INSERT INTO idempotency_records
       SELECT scope, command, 'old-' || n, arguments_hash, handoff_id, version, sequence_no, created_at, now()
       FROM idempotency_records, generate_series(1, 2100) n`,
    );
    await maintenance();
    expect(await relay.database.query('SELECT key FROM idempotency_records')).toEqual([{ key: 'fresh' }]);
    expect(await bob.send('frank', { idempotency_key: 'fresh' })).toEqual({ replayed: true, ...first });
  });
});

describe('invites', () => {
  it('go thirty days after their end', async () => {
    for (const [name, days] of [
      ['a', 31],
      ['b', 29],
      ['c', 0],
    ] as const) {
      const { body } = await relay.admin('POST', '/admin/invites', {
        handle: `${name}@acme`,
        inviter_handle: 'bob@acme',
      });
      await relay.database.query(`UPDATE invites SET expires_at = now() - make_interval(days => $1) WHERE jti = $2`, [
        days,
        body['jti'],
      ]);
    }
    await maintenance();
    expect(await relay.database.query('SELECT handle FROM invites ORDER BY handle')).toEqual([
      { handle: 'b@acme' },
      { handle: 'c@acme' },
    ]);
  });
});

describe('events', () => {
  it('beyond their days go in batches; a cursor from before is void, a later one and none go on', async () => {
    await bob.send('frank');
    const { cursor: before, events } = await frank.events(1);
    await relay.database.query(
      `INSERT INTO events (transaction_id, id, type, actor_kind, agent_id, payload, request_id, created_at)
       SELECT 0, gen_random_uuid(), 'card.updated', 'system', $1, '{}', 'r', now() FROM generate_series(1, 2100)`,
      [bob.agentId],
    );
    await ageEvents(91);
    await frank.send('bob');
    const { cursor: after } = await bob.events(1);
    await bob.send('frank');
    await maintenance();
    expect(await relay.database.query(`SELECT type FROM events`)).toEqual([
      { type: 'handoff.created' },
      { type: 'handoff.created' },
    ]);
    expect(await frank.refusal('events/list', { cursor: events[0]!.cursor })).toMatchObject({
      symbol: 'cursor_expired',
      code: -32036,
      status: 410,
    });
    const types = async (agent: TestAgent, params: object) =>
      (await agent.events(1, params)).events.map(({ type }) => type);
    expect(await types(bob, { cursor: after, include_own: true })).toEqual(['handoff.created']);
    expect(await types(frank, {})).toEqual(['handoff.created']);
    // Nothing that this one has not seen was removed.
    expect(await types(frank, { cursor: before })).toEqual(['handoff.created']);
  });

  it('within their days stay', async () => {
    await ageEvents(89);
    await maintenance();
    expect(await count('events')).toBe(2);
  });
});

describe('threads', () => {
  async function ended(days: number): Promise<string> {
    const { task_id: id } = await bob.send('frank');
    await frank.accept(id, { include_thread: true });
    await frank.complete(id);
    await relay.database.query(
      `UPDATE handoffs SET updated_at = updated_at - make_interval(days => $1) WHERE id = $2`,
      [days, id],
    );
    return id;
  }

  it('go with their messages and positions when their end is long past; open ones stay, however old', async () => {
    const { task_id: open } = await bob.send('frank');
    await frank.get(open);
    const { task_id: cancelled } = await bob.send('frank');
    await bob.cancel(cancelled);
    await relay.database.query(`UPDATE handoffs SET updated_at = updated_at - interval '400 days'`);
    const old = await ended(31);
    const recent = await ended(29);
    await maintenance();
    for (const id of [old, cancelled]) {
      expect((await bob.refusal('tasks/get', { task_id: id })).symbol).toBe('thread_not_found');
    }
    expect((await bob.get(open)).status).toEqual({ state: 'pending' });
    expect((await bob.get(recent)).messages).toHaveLength(2);
    for (const table of ['messages', 'read_positions']) {
      const rows = await relay.database.query<{ id: string }>(`SELECT DISTINCT handoff_id AS id FROM ${table}`);
      expect([table, rows.map(({ id }) => id).sort()]).toEqual([table, [open, recent].sort()]);
    }
  });

  it('that go while somebody reads them are not found, as if they had gone before', async () => {
    const id = await ended(31);
    const holder = await relay.database.connect();
    await holder.query('BEGIN');
    for (const table of ['messages', 'read_positions'])
      await holder.query(`DELETE FROM ${table} WHERE handoff_id = $1`, [id]);
    await holder.query('DELETE FROM handoffs WHERE id = $1', [id]);
    const reading = (await relay.humanOf(bob)).rpc('tasks/get', { task_id: id });
    await eventually('it waits for the row', async () => {
      const waiting = await relay.database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    await holder.query('COMMIT');
    await holder.end();
    expect((await reading).body).toMatchObject({ error: { data: { code: 'thread_not_found' } } });
  });

  it('go in batches until none is left', async () => {
    await ended(31);
    await relay.database.query(
      `INSERT INTO handoffs (id, sender_id, recipient_id, status, intent, summary_preview, artifact_count, metadata,
         created_at, updated_at, cancelled_at)
       SELECT gen_random_uuid(), sender_id, recipient_id, 'cancelled', 'inform', 'x', 0, '{}', created_at, updated_at, updated_at
       FROM handoffs, generate_series(1, 130)`,
    );
    await maintenance();
    expect([await count('handoffs'), await count('messages')]).toEqual([0, 0]);
  });

  it('and events stay for good where the days are 0, which for threads is the default', async () => {
    await ended(4_000);
    await ageEvents(4_000);
    const events = await count('events');
    const keeping = await relay.replica({ RELAY_RETENTION_EVENTS_DAYS: '0', RELAY_RETENTION_THREADS_DAYS: '0' });
    await keeping.app.get(MaintenanceService).run();
    const usual = await relay.replica({ RELAY_RETENTION_EVENTS_DAYS: '', RELAY_RETENTION_THREADS_DAYS: '' });
    expect([await count('handoffs'), await count('events')]).toEqual([1, events]);
    await usual.app.get(MaintenanceService).run();
    expect([await count('handoffs'), await count('events')]).toEqual([1, 0]);
    await keeping.app.close();
    await usual.app.close();
  });
});

import { MaintenanceService } from '../../apps/relay/src/maintenance/maintenance.service';
import { useRelay } from '@agentrelay/testing';

const relay = useRelay({ RELAY_RETENTION_EVENTS_DAYS: '90', RELAY_RETENTION_THREADS_DAYS: '30' });

describe('maintenance', () => {
  it('on two replicas at once removes everything that is due, each row once, and nothing else', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank', { idempotency_key: 'fresh' });
    const other = await relay.replica();
    await relay.database.query(`CREATE TABLE removed (what text NOT NULL, id text NOT NULL)`);
    await relay.database.query(
      `CREATE FUNCTION note_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         INSERT INTO removed VALUES (TG_TABLE_NAME, coalesce(to_jsonb(OLD) ->> 'key', to_jsonb(OLD) ->> 'id')); RETURN OLD;
       END $$`,
    );
    for (const table of ['idempotency_records', 'events', 'handoffs']) {
      await relay.database.query(
        `CREATE TRIGGER note AFTER DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION note_removed()`,
      );
    }
    await relay.database.query(
      `INSERT INTO idempotency_records
       SELECT scope, command, 'old-' || n, arguments_hash, handoff_id, version, sequence_no, created_at, now()
       FROM idempotency_records, generate_series(1, 4000) n`,
    );
    await relay.database.query(
      `INSERT INTO events (transaction_id, id, type, actor_kind, agent_id, payload, request_id, created_at)
       SELECT n % 50, gen_random_uuid(), 'card.updated', 'system', $1, '{}', 'r', now() - interval '91 days'
       FROM generate_series(1, 4000) n`,
      [bob.agentId],
    );
    await relay.database.query(
      `INSERT INTO handoffs (id, sender_id, recipient_id, status, intent, summary_preview, artifact_count, metadata,
         created_at, updated_at, cancelled_at)
       SELECT gen_random_uuid(), sender_id, recipient_id, 'cancelled', 'inform', 'x', 0, '{}', now(), now() - interval '31 days', now()
       FROM handoffs, generate_series(1, 400)`,
    );
    const services = [relay.app, other.app].map((app) => app.get(MaintenanceService));
    await Promise.all(services.map((service) => service.run()));
    expect(
      await relay.database.query(
        `SELECT what, count(*)::integer, count(DISTINCT id)::integer AS ids FROM removed GROUP BY what ORDER BY what`,
      ),
    ).toEqual([
      { what: 'events', count: 4_000, ids: 4_000 },
      { what: 'handoffs', count: 400, ids: 400 },
      { what: 'idempotency_records', count: 4_000, ids: 4_000 },
    ]);
    expect((await frank.get(id)).status).toEqual({ state: 'pending' });
    expect(await relay.database.query('SELECT key FROM idempotency_records')).toEqual([{ key: 'fresh' }]);
    expect(await relay.database.query('SELECT type FROM events ORDER BY created_at')).toHaveLength(3);
    await other.app.close();
  });

  it('gives back the work of somebody whose leaving a crash cut short, once', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: pending } = await bob.send('frank');
    const { task_id: accepted } = await bob.send('frank');
    await frank.accept(accepted);
    await relay.database.query(`UPDATE agents SET status = 'disabled' WHERE id = $1`, [frank.agentId]);
    const other = await relay.replica();
    await Promise.all([relay.app, other.app].map((app) => app.get(MaintenanceService).run()));
    expect((await bob.get(pending)).status).toEqual({ state: 'cancelled' });
    expect(await bob.get(accepted)).toMatchObject({ status: { state: 'completed' }, outcome: 'failed', version: 3 });
    const events = `SELECT type FROM events WHERE actor_kind = 'system' ORDER BY type`;
    expect(await relay.database.query(events)).toEqual([{ type: 'handoff.cancelled' }, { type: 'handoff.completed' }]);
    await other.app.close();
  });

  it('leaves the open work of everybody else alone', async () => {
    const { bob } = await relay.pair();
    const { task_id: id } = await bob.send('frank');
    await relay.app.get(MaintenanceService).run();
    expect((await bob.get(id)).version).toBe(1);
  });
});

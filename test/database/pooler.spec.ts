import type { WireEvents } from '@agentrelay/protocol';
import { testSettings, useRelay } from '@agentrelay/testing';
import { bootRelay } from '../../apps/relay/src/boot';
import { OutageRelay } from './outage-relay';
import { TransactionPooler } from './transaction-pooler';

const STATEMENT_TIMEOUT_MS = 400;

const direct = useRelay();

let pooler: TransactionPooler;
let through: string;
let relay: OutageRelay;

beforeEach(async () => {
  pooler = new TransactionPooler(direct.database.url, 6);
  through = await pooler.listen();
  relay = await OutageRelay.start({
    DATABASE_URL: through,
    DATABASE_DIRECT_URL: direct.database.url,
    RELAY_STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MS),
  });
});

afterEach(async () => {
  await relay.stop();
  pooler.close();
});

describe('behind a pooler that lends a connection for a transaction', () => {
  it('the relay works: sends at once, a whole handoff, and events from one replica to the other', async () => {
    const { bob, frank, replicas } = relay;
    const there = frank.at(replicas[1].url);
    const { cursor } = await there.call<WireEvents>('events/list', { cursor: 'now' });
    const waiting = there.call<WireEvents>('events/list', { cursor, wait_ms: 20_000 });
    const sent = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        bob.at(replicas[i % 2]!.url).send('frank@acme', { idempotency_key: `k${i}` }),
      ),
    );
    expect((await waiting).events.length).toBeGreaterThan(0);
    expect((await there.events(30, { limit: 50 })).events).toHaveLength(30);

    const { task_id } = sent[0]!;
    await frank.accept(task_id, { session_id: 's1' });
    await bob.append(task_id, 'One more thing.');
    await there.complete(task_id);
    const thread = await bob.get(task_id);
    expect([thread.status, thread.messages.length]).toEqual([{ state: 'completed' }, 3]);
    const again = await bob.at(replicas[1].url).send('frank@acme', { idempotency_key: 'k0' });
    expect(again).toMatchObject({ task_id, replayed: true });
  });

  it('a statement still has its time limit, in a transaction and on its own, and leaves none behind', async () => {
    const holder = await direct.database.connect();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE handoffs IN ACCESS EXCLUSIVE MODE');
    for (const [method, params] of [
      ['tasks/list', {}],
      ['message/send', { recipient: 'frank@acme', message: { parts: [{ type: 'text', text: 'Hello.' }] } }],
    ] as const) {
      expect(await relay.bob.refusal(method, params)).toMatchObject({ symbol: 'unavailable', status: 503 });
    }
    // The database itself gave them up: nobody waits any more.
    expect(
      await direct.database.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      ),
    ).toEqual([]);
    await holder.query('ROLLBACK');
    await holder.end();
    await relay.bob.send('frank@acme');
  });

  it('and DATABASE_DIRECT_URL is missing, the start says what the pooler refuses', async () => {
    const settings = { ...testSettings(through), RELAY_MIGRATE_ON_START: 'false' };
    await expect(bootRelay(settings)).rejects.toThrow('unsupported startup parameter: statement_timeout');
  });
});

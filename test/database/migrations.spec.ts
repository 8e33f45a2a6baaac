import {
  createDatabase,
  eventually,
  restCall,
  TEST_ADMIN_TOKEN,
  type TestDatabase,
  testSettings,
} from '@agentrelay/testing';
import { Module } from '@nestjs/common';
import { bootRelay, type RunningRelay } from '../../apps/relay/src/boot';
import { migrate } from '../../apps/relay/src/database';
import { EventSubscriber, type EventSubscription, type EventView } from '../../apps/relay/src/events';
import { MIGRATIONS } from '../../apps/relay/src/database/migrations';

const NAME = `agentrelay_test_migrations_${process.env['JEST_WORKER_ID'] ?? '0'}`;

let database: TestDatabase;
beforeEach(async () => {
  database = await createDatabase(NAME, 'empty');
});
afterEach(() => database.close());

async function probe(relay: RunningRelay, path: string): Promise<object> {
  const response = await fetch(`${relay.url}${path}`);
  return [response.status, await response.json()];
}

describe('migrations', () => {
  it('run by three processes at once on an empty database are applied once, and all three succeed', async () => {
    const applied = await Promise.all([1, 2, 3].map(() => migrate(database.url)));
    expect(applied.flat()).toEqual(MIGRATIONS.map(({ name }) => name));
    expect(await database.query('SELECT name FROM migrations ORDER BY id')).toEqual(
      MIGRATIONS.map(({ name }) => ({ name })),
    );
  });

  it('find nothing to do the second time', async () => {
    await migrate(database.url);
    expect(await migrate(database.url)).toEqual([]);
  });

  it('are applied by three relays that start at once, which then all serve', async () => {
    const relays = await Promise.all([1, 2, 3].map(() => bootRelay(testSettings(database.url))));
    for (const relay of relays) expect(await probe(relay, '/readyz')).toEqual([200, { status: 'ok' }]);
    for (const { app } of relays) await app.close();
  });

  it('leave their lock free', async () => {
    await migrate(database.url);
    expect(await database.query(`SELECT objid FROM pg_locks WHERE locktype = 'advisory'`)).toEqual([]);
  });
});

describe('a relay on a database without the schema it needs', () => {
  it('lives but is not ready, and becomes ready when the schema comes', async () => {
    const relay = await bootRelay({ ...testSettings(database.url), RELAY_MIGRATE_ON_START: 'false' });
    const old = [503, { status: 'unavailable', reason: 'schema too old' }];
    expect(await probe(relay, '/readyz')).toEqual(old);
    expect(await probe(relay, '/startupz')).toEqual(old);
    expect(await probe(relay, '/healthz')).toEqual([200, { status: 'ok' }]);
    await migrate(database.url);
    expect(await probe(relay, '/readyz')).toEqual([200, { status: 'ok' }]);
    await database.query('DELETE FROM migrations');
    // A good answer is cached for half a second.
    await eventually('it is unready', async () => (await fetch(`${relay.url}/readyz`)).status === 503);
    expect(await probe(relay, '/readyz')).toEqual(old);
    await relay.app.close();
  });

  it('does what it has to before it serves as soon as the schema comes, asked or not', async () => {
    const taken: string[] = [];
    @EventSubscriber('late')
    class Late implements EventSubscription {
      handle(events: readonly EventView[]): Promise<void> {
        taken.push(...events.map(({ type }) => type));
        return Promise.resolve();
      }
    }
    @Module({ providers: [Late] })
    class LateModule {}
    const relay = await bootRelay({ ...testSettings(database.url), RELAY_MIGRATE_ON_START: 'false' }, [LateModule]);
    await migrate(database.url);
    await eventually('the subscriber has a place', async () => {
      const places = await database.query<{ name: string }>('SELECT name FROM event_subscribers');
      return places.some(({ name }) => name === 'late');
    });
    const [state] = await database.query<{ known: string | null }>(
      'SELECT system_identifier AS known FROM relay_state',
    );
    expect(state?.known).toMatch(/^\d+\/\d+$/);
    const profile = { handle: 'bob@acme', email: 'bob@acme.example', display_name: 'Bob', role: 'developer' };
    await restCall(relay.url, TEST_ADMIN_TOKEN, 'POST', '/admin/agents', profile);
    await eventually('it takes events', () => taken.includes('agent.registered'));
    await relay.app.close();
  });

  it('is not ready while the log of a moved database is renumbered, however long that takes', async () => {
    await migrate(database.url);
    await database.query(`UPDATE relay_state SET system_identifier = 'another/1'`);
    const holder = await database.connect();
    await holder.query('BEGIN; SELECT FROM relay_state FOR UPDATE');
    const relay = await bootRelay({ ...testSettings(database.url), RELAY_STATEMENT_TIMEOUT_MS: '100' });
    const preparing = [503, { status: 'unavailable', reason: 'preparing the event log' }];
    expect(await probe(relay, '/readyz')).toEqual(preparing);
    await holder.query('COMMIT');
    await holder.end();
    await eventually('it is ready', async () => (await fetch(`${relay.url}/readyz`)).ok);
    expect(await database.query('SELECT epoch FROM relay_state')).toEqual([{ epoch: 2 }]);
    await relay.app.close();
  });

  it('whose database cannot be reached does not start', async () => {
    const url = new URL(database.url);
    url.pathname = '/agentrelay_test_there_is_none';
    await expect(bootRelay(testSettings(url.href))).rejects.toThrow(/does not exist/);
  });
});

import { eventually, testSettings, useRelay } from '@agentrelay/testing';
import { Logger, Module } from '@nestjs/common';
import { bootRelay, type RunningRelay } from '../../apps/relay/src/boot';
import { EventSubscriber, type EventSubscription, type EventView } from '../../apps/relay/src/events';
import { MaintenanceService } from '../../apps/relay/src/maintenance/maintenance.service';
import { commandsOf } from '../restore/runbook';

const SETTINGS = { RELAY_RETENTION_EVENTS_DAYS: '10', RELAY_RETENTION_UNREAD_EVENTS_DAYS: '30' };
const relay = useRelay(SETTINGS);

const taken: string[] = [];
let failing = true;
@EventSubscriber('slow')
class Slow implements EventSubscription {
  handle(events: readonly EventView[]): Promise<void> {
    if (failing) return Promise.reject(new Error('It fails on purpose.'));
    taken.push(...events.map(({ id }) => id));
    return Promise.resolve();
  }
}
@Module({ providers: [Slow] })
class SlowModule {}

let replica: RunningRelay;
beforeEach(async () => {
  taken.length = 0;
  failing = true;
  await relay.database.query('DELETE FROM event_subscribers');
  await relay.database.query('UPDATE relay_state SET removed_through = 0');
  replica = await bootRelay({ ...testSettings(relay.database.url), ...SETTINGS }, [SlowModule]);
});
afterEach(async () => {
  await replica.app.close();
  await relay.database.query('DELETE FROM event_subscribers');
  await relay.database.query('UPDATE relay_state SET removed_through = 0');
});

async function age(days: number): Promise<void> {
  await relay.database.inTransaction(async (client) => {
    await client.query(`SET LOCAL session_replication_role = 'replica'`);
    await client.query('UPDATE events SET created_at = created_at - make_interval(days => $1)', [days]);
    await client.query('COMMIT');
  });
}

const ids = async (): Promise<string[]> =>
  (await relay.database.query<{ id: string }>('SELECT id FROM events ORDER BY transaction_id, id')).map(({ id }) => id);
const maintenance = (): Promise<void> => relay.app.get(MaintenanceService).run();

describe('retention of events', () => {
  it('waits for the slowest subscriber, which then gets every event', async () => {
    await relay.pair();
    const written = await ids();
    await age(11);
    await maintenance();
    expect(await ids()).toEqual(written);
    failing = false;
    await relay.agent();
    await eventually('all were taken', () => taken.length >= 3);
    expect(taken.slice(0, 2)).toEqual(written);
    await maintenance();
    expect(await ids()).toEqual(taken.slice(2));
  });

  it('passes a subscriber at the hard limit: its place moves, what it missed is counted and logged, and it goes on', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error');
    await relay.pair();
    await age(31);
    await maintenance();
    expect(await ids()).toEqual([]);
    expect(logged.mock.calls.map(([first]) => first as unknown)).toContainEqual({
      subscriber: 'slow',
      missed_events: 2,
    });
    logged.mockRestore();
    failing = false;
    await relay.agent();
    const [next] = await ids();
    await eventually('the next one was taken', () => taken.length > 0);
    expect(taken).toEqual([next]);
    expect(await relay.database.query('SELECT missed_events::integer AS missed FROM event_subscribers')).toEqual([
      { missed: 2 },
    ]);
  });
});

describe('a place that no code declares', () => {
  it('is told at start, and the runbook removes it, so that retention no longer waits', async () => {
    await replica.app.close();
    const logged = jest.spyOn(Logger.prototype, 'warn');
    replica = await bootRelay({ ...testSettings(relay.database.url), ...SETTINGS });
    expect(logged.mock.calls.map(([first]) => first as unknown)).toContainEqual({ subscribers: ['slow'] });
    logged.mockRestore();
    await relay.pair();
    await age(11);
    await maintenance();
    expect(await ids()).toHaveLength(2);
    const [, statement = ''] = /<<'SQL'\n([\s\S]*?)SQL$/m.exec(commandsOf('remove-subscriber')) ?? [];
    await relay.database.query(statement.replace(`:'subscriber'`, `'slow'`));
    await maintenance();
    expect(await ids()).toEqual([]);
  });
});

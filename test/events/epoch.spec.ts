import type { WireEvents } from '@agentrelay/protocol';
import {
  createDatabase,
  eventually,
  EventStreamReader,
  type TestAgent,
  type TestDatabase,
  testSettings,
  useRelay,
} from '@agentrelay/testing';
import { Module } from '@nestjs/common';
import { bootRelay, type RunningRelay } from '../../apps/relay/src/boot';
import {
  decodeEventCursor,
  encodeEventCursor,
  EventSubscriber,
  type EventSubscription,
  type EventView,
  LogEpochRepository,
} from '../../apps/relay/src/events';

/** Higher than any transaction of the test's cluster. */
const FOREIGN = 1_000_000_000_000;

const relay = useRelay();

const taken: string[] = [];
let working = 0;
let pause = Promise.resolve();

@EventSubscriber('epoch-recorder')
class Recorder implements EventSubscription {
  async handle(events: readonly EventView[]): Promise<void> {
    working++;
    await pause;
    taken.push(...events.flatMap(({ handoffId }) => handoffId ?? []));
  }
}

@Module({ providers: [Recorder] })
class RecorderModule {}

const raise = (): Promise<number> => relay.app.get(LogEpochRepository).raise();

/** As a dump from a cluster with higher transaction ids leaves it; the clocks of the replicas that wrote it differed. */
async function asIfRestoredFromElsewhere(): Promise<void> {
  await relay.database.query(`UPDATE events SET transaction_id = transaction_id + ${FOREIGN}`);
  await relay.database.query(`UPDATE event_subscribers SET transaction_id = transaction_id + ${FOREIGN}`);
  await relay.database.query(`UPDATE relay_state SET system_identifier = 'elsewhere/1'`);
}

async function sendMany(bob: TestAgent, count: number): Promise<string[]> {
  const sent: string[] = [];
  while (sent.length < count) sent.push((await bob.send('frank@acme')).task_id);
  return sent;
}

/** Ids that say the opposite of the order in which transactions wrote. */
async function reverseIds(): Promise<string[]> {
  await relay.database.inTransaction(async (client) => {
    await client.query(`SET LOCAL session_replication_role = 'replica'`);
    await client.query(`
      UPDATE events e SET id = r.id FROM (
        SELECT a.transaction_id, b.id FROM (SELECT transaction_id, row_number() OVER (ORDER BY transaction_id) n FROM events) a
        JOIN (SELECT id, row_number() OVER (ORDER BY transaction_id DESC) n FROM events) b USING (n)
      ) r WHERE r.transaction_id = e.transaction_id`);
    await client.query('COMMIT');
  });
  const rows = await relay.database.query<{ handoff_id: string | null }>(
    'SELECT handoff_id FROM events ORDER BY transaction_id, id',
  );
  return rows.flatMap(({ handoff_id }) => handoff_id ?? []);
}

beforeEach(async () => {
  taken.length = 0;
  working = 0;
  pause = Promise.resolve();
  await relay.database.query('DELETE FROM event_subscribers');
});

describe('a raised epoch', () => {
  it('keeps the order of transactions, below every new one, whatever the ids say', async () => {
    const { bob, frank } = await relay.pair();
    await sendMany(bob, 6);
    const order = await reverseIds();
    await asIfRestoredFromElsewhere();
    const restored = await relay.replica();
    const [late] = await sendMany(bob.at(restored.url), 1);
    const { events } = await frank.at(restored.url).events(7);
    expect(events.map(({ task_id }) => task_id)).toEqual([...order, late]);
    await restored.app.close();
  });

  it('moves the places of subscribers with the events: each gets what it had not read, once', async () => {
    let replica = await bootRelay(testSettings(relay.database.url), [RecorderModule]);
    const { bob } = await relay.pair();
    const read = await sendMany(bob, 3);
    await eventually('they were taken', () => taken.length === 3);
    await replica.app.close();
    const unread = await sendMany(bob, 4);
    await asIfRestoredFromElsewhere();
    replica = await bootRelay(testSettings(relay.database.url), [RecorderModule]);
    await eventually('the rest was taken', () => taken.length >= 7);
    const [after] = await sendMany(bob.at(replica.url), 1);
    await eventually('the new one was taken', () => taken.length >= 8);
    expect(taken).toEqual([...read, ...unread, after]);
    await replica.app.close();
  });

  it('is not undone by a subscriber that works meanwhile: it takes the events again', async () => {
    const replica = await bootRelay(testSettings(relay.database.url), [RecorderModule]);
    const { bob } = await relay.pair();
    const sent = await sendMany(bob, 1);
    await eventually('the first was taken', () => taken.length === 1);
    let finish: () => void = () => undefined;
    pause = new Promise((resolve) => (finish = resolve));
    working = 0;
    sent.push(...(await sendMany(bob, 1)));
    await eventually('it works', () => working > 0);
    await asIfRestoredFromElsewhere();
    await raise();
    finish();
    await eventually('it took them again', () => working >= 2 && taken.length >= 3);
    sent.push(...(await sendMany(bob, 2)));
    await eventually('it goes on', () => taken.at(-1) === sent.at(-1));
    expect(new Set(taken)).toEqual(new Set(sent));
    expect(taken.slice(-2)).toEqual(sent.slice(-2));
    await replica.app.close();
  });

  it('keeps the edge of retention: events that were removed before it are missed by nobody in silence', async () => {
    const { bob, frank } = await relay.pair();
    await sendMany(bob, 2);
    await relay.database.query(`
      WITH gone AS (DELETE FROM events WHERE agent_id IS NOT NULL RETURNING transaction_id)
      UPDATE relay_state SET removed_through = (SELECT max(transaction_id) FROM gone) + ${FOREIGN}`);
    await asIfRestoredFromElsewhere();
    await raise();
    const [state] = await relay.database.query<{ removed: string; oldest: string; epoch: string }>(
      `SELECT removed_through AS removed, (SELECT min(transaction_id) FROM events) AS oldest, epoch_id AS epoch FROM relay_state`,
    );
    expect(state!.removed).not.toBe('0');
    expect(BigInt(state!.removed)).toBeLessThan(BigInt(state!.oldest));
    const before = encodeEventCursor({ epoch: state!.epoch, transactionId: state!.removed, id: frank.agentId });
    expect((await frank.refusal('events/list', { cursor: before })).symbol).toBe('cursor_expired');
    await relay.database.query('UPDATE relay_state SET removed_through = 0');
  });

  it('is another one in each of two restores of one backup: a cursor of one is refused by the other', async () => {
    const { bob, frank } = await relay.pair();
    await sendMany(bob, 2);
    const { cursor: backedUp } = await frank.events(2);
    const copies: { database: TestDatabase; relay: RunningRelay; cursor: string }[] = [];
    for (const name of ['one', 'two']) {
      const database = await createDatabase(
        `agentrelay_test_epoch_${name}_${process.env['JEST_WORKER_ID'] ?? 0}`,
        'migrated',
      );
      for (const table of ['owners', 'agents', 'cards', 'api_keys', 'handoffs', 'messages', 'events'])
        await copy(table, database);
      await database.query(`UPDATE relay_state SET epoch_id = $1`, [decodeEventCursor(backedUp).epoch]);
      const restored = await bootRelay(testSettings(database.url));
      await restored.app.get(LogEpochRepository).raise();
      const { cursor } = await frank.at(restored.url).events(2);
      copies.push({ database, relay: restored, cursor });
    }
    for (const [i, { relay: restored }] of copies.entries()) {
      const there = frank.at(restored.url);
      for (const cursor of [backedUp, copies[1 - i]!.cursor])
        expect((await there.refusal('events/list', { cursor })).symbol).toBe('cursor_expired');
      expect((await there.call<WireEvents>('events/list', { cursor: copies[i]!.cursor })).events).toEqual([]);
    }
    for (const { relay: restored, database } of copies) {
      await restored.app.close();
      await database.close();
    }
  });
});

async function copy(table: string, to: TestDatabase): Promise<void> {
  const [row] = await relay.database.query<{ rows: object[] | null }>(`SELECT json_agg(t) AS rows FROM ${table} t`);
  await to.query(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1)`, [
    JSON.stringify(row?.rows ?? []),
  ]);
}

describe('a cursor', () => {
  it('above everything that the log can hold is expired', async () => {
    const { bob, frank } = await relay.pair();
    await bob.send('frank@acme');
    const { cursor } = await frank.events(1);
    const above = encodeEventCursor({ ...decodeEventCursor(cursor), transactionId: String(FOREIGN) });
    expect(await frank.refusal('events/list', { cursor: above })).toMatchObject({ symbol: 'cursor_expired' });
  });

  it('of the version before holds until the epoch is raised', async () => {
    const { bob, frank } = await relay.pair();
    const [first] = await sendMany(bob, 2);
    // What the migration leaves where there are events already.
    await relay.database.query('UPDATE relay_state SET epoch_id = epoch::text');
    const [state] = await relay.database.query<{ epoch: number }>('SELECT epoch FROM relay_state');
    const { cursor, events } = await frank.events(2);
    const old = encodeEventCursor({ ...decodeEventCursor(events[0]!.cursor), epoch: String(state!.epoch) });
    expect(events[0]).toMatchObject({ cursor: old, task_id: first });
    expect((await frank.events(1, { cursor: old })).events).toHaveLength(1);
    await raise();
    for (const gone of [old, cursor])
      expect((await frank.refusal('events/list', { cursor: gone })).symbol).toBe('cursor_expired');
    expect(decodeEventCursor((await frank.events(2)).cursor).epoch).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('a database that is another behind the same address', () => {
  it('is noticed by a running relay when it connects anew: waiting readers are woken and told, and go on from its start', async () => {
    const { bob, frank } = await relay.pair();
    const [before] = await sendMany(bob, 1);
    const { cursor } = await frank.events(1);
    const stream = await EventStreamReader.open(frank);
    await relay.database.query(`UPDATE relay_state SET system_identifier = 'elsewhere/1'`);
    await relay.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'agentrelay%'`,
    );
    await eventually('the stream has ended', () => stream.ended);
    expect((await frank.refusal('events/list', { cursor, wait_ms: 50_000 })).symbol).toBe('cursor_expired');
    const [after] = await sendMany(bob, 1);
    expect((await frank.events(2)).events.map(({ task_id }) => task_id)).toEqual([before, after]);
    const [state] = await relay.database.query<{ home: string }>('SELECT system_identifier AS home FROM relay_state');
    expect(state!.home).toMatch(/^\d+\/\d+$/);
  });
});

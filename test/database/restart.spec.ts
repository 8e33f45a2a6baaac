import type { WireEvents } from '@agentrelay/protocol';
import { DatabaseServer, eventually, EventStreamReader, TestDatabase } from '@agentrelay/testing';
import { BusyAgents } from './outcomes';
import { OutageRelay } from './outage-relay';

/** What bounds the latency of events between replicas where no notification arrives. */
const POLL_MS = 500;

let server: DatabaseServer;
let relay: OutageRelay;

beforeAll(async () => {
  server = await DatabaseServer.start();
  relay = await OutageRelay.start({ DATABASE_URL: server.url });
}, 60_000);

afterAll(async () => {
  await relay.stop();
  await server.stop();
});

// A test that failed half-way leaves the database to the next one running.
afterEach(() => server.restart());

async function query<Row extends object>(sql: string): Promise<Row[]> {
  const database = new TestDatabase(server.url);
  return database.query<Row>(sql).finally(() => database.close());
}

describe('when the database crashes and comes back', () => {
  it('an idle relay serves again by itself', async () => {
    await server.crash();
    for (const { url } of relay.replicas) {
      await eventually('it is unready', async () => (await fetch(`${url}/readyz`)).status === 503);
      const answer = await fetch(`${url}/readyz`);
      expect([answer.status, await answer.json()]).toEqual([
        503,
        { status: 'unavailable', reason: 'database unreachable' },
      ]);
    }
    await server.restart();
    await eventually('both replicas are ready', () => relay.ready());
    const { task_id } = await relay.bob.send('frank@acme');
    expect((await relay.frank.at(relay.replicas[1].url).get(task_id)).status).toEqual({ state: 'pending' });
  }, 60_000);

  it('requests in between are answered with unavailable or cut, and nothing acknowledged is lost or doubled', async () => {
    const [before] = await query<{ count: number }>('SELECT count(*)::integer AS count FROM handoffs');
    const replicas = relay.replicas.flatMap(({ url }) => Array.from({ length: 4 }, () => relay.bob.at(url)));
    const stream = await EventStreamReader.open(relay.frank);
    const busy = new BusyAgents(replicas, 'frank@acme');
    await eventually('many have been sent', () => busy.count('ok') >= 50);
    await server.crash();
    await eventually('requests are refused', () => busy.count('unavailable') >= 10);
    await server.restart();
    const sofar = busy.count('ok');
    await eventually('many more have been sent', () => busy.count('ok') >= sofar + 50, 30_000);
    await busy.stop();

    expect([...busy.seen.keys()].filter((outcome) => outcome.startsWith('odd'))).toEqual([]);
    expect(new Set(busy.acknowledged).size).toBe(busy.acknowledged.length);
    const stored = await query<{ id: string }>('SELECT id FROM handoffs');
    const ids = new Set(stored.map(({ id }) => id));
    expect(busy.acknowledged.filter((id) => !ids.has(id))).toEqual([]);
    expect(stored).toHaveLength((before?.count ?? 0) + busy.acknowledged.length);

    // The stream, at work when the database went away, has outlived that too.
    await eventually('the stream has sent all', () => stream.events.length >= busy.acknowledged.length || stream.ended);
    expect(stream.ended).toBe(false);
    expect(stream.events.map(({ task_id: id }) => id).sort()).toEqual(busy.acknowledged.toSorted());
    stream.close();
  }, 90_000);

  it('both replicas listen again, and an event from one reaches a long poll on the other at once', async () => {
    await server.crash();
    await server.restart();
    await eventually('both replicas listen', async () => {
      const listening = await query(
        `SELECT FROM pg_stat_activity WHERE application_name = 'agentrelay-listen' AND query ~ 'LISTEN'`,
      );
      return listening.length === 2;
    });
    const there = relay.frank.at(relay.replicas[1].url);
    let best = Infinity;
    for (let i = 0; i < 5; i++) {
      const { cursor } = await there.call<WireEvents>('events/list', { cursor: 'now' });
      const waiting = there.call<WireEvents>('events/list', { cursor, wait_ms: 20_000 });
      const sent = await relay.bob.send('frank@acme');
      const start = performance.now();
      const { events } = await waiting;
      expect(events.map(({ task_id }) => task_id)).toEqual([sent.task_id]);
      best = Math.min(best, performance.now() - start);
    }
    expect(best).toBeLessThan(POLL_MS / 2);
  }, 60_000);

  it('an open event stream stays open, and sends what happens afterwards', async () => {
    const stream = await EventStreamReader.open(relay.frank);
    await server.crash();
    await eventually('the relay is unready', async () => (await fetch(`${relay.frank.url}/readyz`)).status === 503);
    await server.restart();
    await eventually('both replicas are ready', () => relay.ready());
    const { task_id } = await relay.bob.send('frank@acme');
    await eventually('the event came', () => stream.events.length > 0 || stream.ended);
    expect(stream.events.map((event) => event.task_id)).toEqual([task_id]);
    stream.close();
  }, 60_000);

  it('a reader goes on without a gap, although ids of transactions are handed out anew', async () => {
    // Nothing but a commit makes the log of PostgreSQL durable now.
    await query(`ALTER SYSTEM SET wal_writer_delay = '10s'`);
    await query('SELECT pg_reload_conf()');
    const { cursor: start } = await relay.frank.call<WireEvents>('events/list', { cursor: 'now' });
    await relay.bob.send('frank@acme');
    const database = new TestDatabase(server.url);
    await database.inTransaction((client) => client.query('SELECT pg_current_xact_id()'));
    await database.inTransaction((client) => client.query('SELECT pg_current_xact_id()'));
    await database.close();
    const { cursor } = await relay.frank.events(1, { cursor: start });
    const { cursor: now } = await relay.frank.call<WireEvents>('events/list', { cursor: 'now' });
    await server.crash();
    await server.restart();
    await eventually('both replicas are ready', () => relay.ready());
    const { task_id } = await relay.bob.send('frank@acme');
    for (const from of [cursor, now]) {
      const { events } = await relay.frank.events(1, { cursor: from });
      expect(events.map((event) => event.task_id)).toEqual([task_id]);
    }
  }, 60_000);
});

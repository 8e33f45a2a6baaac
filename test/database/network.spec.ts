import { DatabaseServer, eventually, TcpProxy, TestDatabase, testSettings, text } from '@agentrelay/testing';
import { bootRelay } from '../../apps/relay/src/boot';
import { BusyAgents } from './outcomes';
import { OutageRelay } from './outage-relay';

const STATEMENT_TIMEOUT_MS = 500;

let server: DatabaseServer;
let proxy: TcpProxy;
let settings: Record<string, string>;
let relay: OutageRelay;

beforeAll(async () => {
  server = await DatabaseServer.start();
  proxy = new TcpProxy(server.port);
  const url = new URL(server.url);
  url.port = String(await proxy.listen());
  settings = {
    ...testSettings(url.href),
    RELAY_STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MS),
  };
  relay = await OutageRelay.start(settings);
}, 60_000);

afterAll(async () => {
  proxy.resume();
  await relay.stop();
  proxy.close();
  await server.stop();
});

/** The server processes of the relay's connections that listen. */
async function listeners(): Promise<number[]> {
  const database = new TestDatabase(server.url);
  const rows = await database
    .query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'agentrelay-listen' ORDER BY pid`,
    )
    .finally(() => database.close());
  return rows.map(({ pid }) => pid);
}

describe('between the relay and its database', () => {
  it('a network that falls silent makes requests unavailable in time, and when it speaks again they work', async () => {
    proxy.silence();
    const answers = await Promise.all(
      relay.replicas.flatMap(({ url }) => [
        relay.bob.at(url).rpc('tasks/list', {}),
        relay.bob.at(url).rpc('message/send', { recipient: 'frank@acme', message: { parts: [] } }),
      ]),
    );
    for (const { status } of answers) expect([503, 400]).toContain(status);
    expect(answers.some(({ status }) => status === 503)).toBe(true);
    proxy.resume();
    await eventually('both replicas are ready', () => relay.ready());
    expect((await relay.bob.send('frank@acme')).status).toEqual({ state: 'pending' });
  }, 60_000);

  it('a network that falls silent does not keep a relay from ending', async () => {
    const replica = await bootRelay(settings);
    await eventually('it listens too', async () => (await listeners()).length === 3);
    proxy.silence();
    await replica.app.close();
    proxy.resume();
    await eventually('both others are ready', () => relay.ready());
  }, 60_000);

  it('connections that the network forgot are noticed and made anew, the listening ones too', async () => {
    await eventually('both replicas listen', async () => (await listeners()).length === 2);
    const before = await listeners();
    proxy.strand();
    await eventually(
      'new ones listen',
      async () => {
        const now = await listeners();
        return now.length === 2 && now.every((pid) => !before.includes(pid));
      },
      30_000,
    );
    // Whoever comes upon another forgotten one gets `unavailable`, and closes it.
    const send = { recipient: 'frank@acme', message: text('After all.'), idempotency_key: 'after-all' };
    await eventually(
      'a send goes through',
      async () => (await relay.bob.rpc('message/send', send)).status === 200,
      30_000,
    );
  }, 60_000);

  it('a failover to another server with the same data needs no restart of the relay', async () => {
    const busy = new BusyAgents(
      relay.replicas.map(({ url }) => relay.bob.at(url)),
      'frank@acme',
    );
    await eventually('some have been sent', () => busy.count('ok') >= 20);
    server = await server.failOver();
    const missed = busy.count('ok');
    proxy.pointTo(server.port);
    await eventually('more have been sent', () => busy.count('ok') >= missed + 20, 30_000);
    await busy.stop();
    expect([...busy.seen.keys()].filter((outcome) => outcome.startsWith('odd'))).toEqual([]);
    await eventually('both replicas are ready', () => relay.ready());
    await eventually('both replicas listen', async () => (await listeners()).length === 2);
    for (const id of busy.acknowledged) expect((await relay.bob.get(id)).task_id).toBe(id);
  }, 90_000);
});

import {
  eventually,
  EventStreamReader,
  freePort,
  TcpProxy,
  TEST_ADMIN_TOKEN,
  testSettings,
  useRelay,
} from '@agentrelay/testing';
import { Module } from '@nestjs/common';
import { bootRelay } from '../../apps/relay/src/boot';
import { EventSubscriber, type EventSubscription } from '../../apps/relay/src/extension';
import { scrape } from './scrape';

const ports = freePort();
const relay = useRelay();
let url: string;
let metrics: string;
let watched: Awaited<ReturnType<typeof bootRelay>>;

beforeEach(async () => {
  const port = await ports;
  metrics = `http://127.0.0.1:${port}`;
  const settings = { RELAY_METRICS_PORT: String(port), RELAY_RATE_BURST: '20', RELAY_RATE_PER_MINUTE: '1' };
  watched = await bootRelay({ ...testSettings(relay.database.url), ...settings });
  ({ url } = watched);
});
afterEach(() => watched.app.close());

describe('the metrics', () => {
  it('count and time every call by method and outcome, whatever names callers make up', async () => {
    const { bob, frank } = await relay.pair();
    const there = bob.at(url);
    await there.send(frank.handle);
    await there.refusal('tasks/get', { task_id: '0198f7c0-0000-7000-8000-000000000000' });
    await there.refusal('made/up');
    await there.refusal('made/up/too');
    await there.post('[{"jsonrpc":"2.0","id":1,"method":"tasks/list"},{"no":"request"}]');
    const samples = await scrape(metrics);
    const calls = [...samples].filter(([name]) => name.startsWith('agentrelay_rpc_calls_total'));
    expect(Object.fromEntries(calls)).toEqual({
      'agentrelay_rpc_calls_total{method="message/send",outcome="ok"}': 1,
      'agentrelay_rpc_calls_total{method="tasks/get",outcome="thread_not_found"}': 1,
      'agentrelay_rpc_calls_total{method="unknown",outcome="method_not_found"}': 2,
      'agentrelay_rpc_calls_total{method="tasks/list",outcome="ok"}': 1,
      'agentrelay_rpc_calls_total{method="unknown",outcome="invalid_request"}': 1,
    });
    expect(samples.get('agentrelay_rpc_duration_seconds_count{method="message/send"}')).toBe(1);
    expect(samples.get('agentrelay_rpc_duration_seconds_sum{method="message/send"}')).toBeGreaterThan(0);
  });

  it('count HTTP requests by route, never by address', async () => {
    const bob = (await relay.agent()).at(url);
    await bob.rest('GET', '/agents?role=x');
    const { handle } = await relay.agent();
    const { status } = await bob.rest('DELETE', `/agents/me/block/${encodeURIComponent(handle)}`);
    await bob.rest('GET', '/made-up/1');
    await bob.rest('GET', '/made-up/2');
    const samples = await scrape(metrics);
    const counted = (method: string, route: string, status: number) =>
      samples.get(`agentrelay_http_requests_total{method="${method}",route="${route}",status="${status}"}`);
    expect(counted('GET', '/agents', 200)).toBe(1);
    expect(counted('DELETE', '/agents/me/block/:handle', status)).toBe(1);
    expect(counted('GET', 'unmatched', 404)).toBe(2);
    expect([...samples.keys()].join('\n')).not.toContain('made-up');
  });

  it('tell what is open, how old the oldest is, and what was committed', async () => {
    const { bob, frank } = await relay.pair();
    const there = bob.at(url);
    const [first, second] = [
      await there.send(frank.handle),
      await there.send(frank.handle),
      await there.send(frank.handle),
    ];
    await frank.at(url).accept(first.task_id);
    await there.cancel(second.task_id);
    await frank.at(url).append(first.task_id, 'More.');
    await there.refusal('tasks/update', { task_id: first.task_id, transition: 'complete', result_summary: 'x' });
    await relay.database.query(
      `UPDATE handoffs SET created_at = created_at - interval '2 hours' WHERE status = 'pending'`,
    );
    const samples = await scrape(metrics);
    expect(samples.get('agentrelay_handoffs{state="pending"}')).toBe(1);
    expect(samples.get('agentrelay_handoffs{state="accepted"}')).toBe(1);
    expect(Math.floor(samples.get('agentrelay_oldest_unaccepted_seconds')! / 60)).toBe(120);
    const committed = [...samples].filter(([name]) => name.startsWith('agentrelay_transitions_total'));
    expect(Object.fromEntries(committed)).toEqual({
      'agentrelay_transitions_total{type="handoff.created"}': 3,
      'agentrelay_transitions_total{type="handoff.accepted"}': 1,
      'agentrelay_transitions_total{type="handoff.cancelled"}': 1,
      'agentrelay_transitions_total{type="message.appended"}': 1,
    });
  });

  it('tell who waits, who was refused by a rate, and that readers are kept back', async () => {
    const agent = (await relay.agent()).at(url);
    const stream = await EventStreamReader.open(agent);
    for (let i = 0; i < 25; i++) await agent.rpc('agents/list');
    const { bob, frank } = await relay.pair();
    const blocker = await relay.database.connect();
    await blocker.query('BEGIN; SELECT pg_current_xact_id()');
    await bob.send(frank.handle);
    const during = await scrape(metrics);
    expect(during.get('agentrelay_waiters')).toBe(1);
    expect(during.get('agentrelay_rate_limited_total{limit="agent"}')).toBeGreaterThanOrEqual(5);
    expect(during.get('agentrelay_rate_limited_total{limit="address"}')).toBe(0);
    expect(during.get('agentrelay_event_horizon_lag_seconds')).toBeGreaterThan(0);
    await blocker.end();
    stream.close();
    await eventually('nobody waits', async () => (await scrape(metrics)).get('agentrelay_waiters') === 0);
    expect((await scrape(metrics)).get('agentrelay_event_horizon_lag_seconds')).toBe(0);
  });

  it('tell how far behind a subscriber of this relay is, and nothing of one that is gone', async () => {
    @EventSubscriber('stuck')
    class Stuck implements EventSubscription {
      handle(): Promise<void> {
        return Promise.reject(new Error('It is stuck on purpose.'));
      }
    }
    @Module({ providers: [Stuck] })
    class StuckModule {}
    await relay.database.query(
      `INSERT INTO event_subscribers VALUES ('gone', 0, '00000000-0000-0000-0000-000000000000') ON CONFLICT DO NOTHING`,
    );
    const port = await freePort();
    const settings = { ...testSettings(relay.database.url), RELAY_METRICS_PORT: String(port) };
    const { app } = await bootRelay(settings, [StuckModule]);
    const { bob, frank } = await relay.pair();
    await bob.send(frank.handle);
    const samples = await scrape(`http://127.0.0.1:${port}`);
    expect(samples.get('agentrelay_subscriber_lag_seconds{subscriber="stuck"}')).toBeGreaterThan(0);
    expect(samples.has('agentrelay_subscriber_lag_seconds{subscriber="gone"}')).toBe(false);
    await app.close();
    await relay.database.query('DELETE FROM event_subscribers');
  });

  it('are there in time while the database says nothing: without what only it knows', async () => {
    const proxy = new TcpProxy(Number(new URL(relay.database.url).port));
    const url = new URL(relay.database.url);
    url.port = String(await proxy.listen());
    const port = await freePort();
    const settings = { RELAY_METRICS_PORT: String(port), RELAY_STATEMENT_TIMEOUT_MS: '500' };
    const silenced = await bootRelay({ ...testSettings(url.href), ...settings });
    const { bob } = await relay.pair();
    proxy.silence();
    const refused = await bob.at(silenced.url).refusal('tasks/list');
    const samples = await scrape(`http://127.0.0.1:${port}`);
    expect(refused.symbol).toBe('unavailable');
    expect(samples.get('agentrelay_rpc_calls_total{method="unknown",outcome="unavailable"}')).toBe(1);
    expect(samples.get('agentrelay_ready')).toBe(0);
    expect(samples.has('agentrelay_handoffs{state="pending"}')).toBe(false);
    expect(samples.has('agentrelay_oldest_unaccepted_seconds')).toBe(false);
    proxy.resume();
    await silenced.app.close();
    proxy.close();
  });

  it('tell the pool, the version, the process, and that this replica is ready', async () => {
    const samples = await scrape(metrics);
    expect(samples.get('agentrelay_ready')).toBe(1);
    expect(samples.get('agentrelay_build_info{version="0.1.0"}')).toBe(1);
    expect(samples.get('agentrelay_database_connections{state="total"}')).toBeGreaterThan(0);
    expect(samples.get('agentrelay_database_waiting_requests')).toBe(0);
    expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(1e7);
  });

  it('are served on their own port only, and nothing else is served there', async () => {
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    const other = await fetch(`${metrics}/admin/agents`, { headers: { authorization: `Bearer ${TEST_ADMIN_TOKEN}` } });
    expect(other.status).toBe(404);
    expect((await fetch(`${metrics}/metrics`, { method: 'POST' })).status).toBe(404);
  });
});

it('a relay whose metrics port is taken does not start, and says so', async () => {
  const settings = { ...testSettings(relay.database.url), RELAY_METRICS_PORT: String(await ports) };
  await expect(bootRelay(settings)).rejects.toThrow(/EADDRINUSE/);
});

import type { WireEvents } from '@agentrelay/protocol';
import { eventually, type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();

let bob: TestAgent;
let frank: TestAgent;

beforeEach(async () => {
  bob = await relay.agent('bob@acme');
  frank = await relay.agent('frank@acme');
});

const types = ({ events }: WireEvents): string[] => events.map(({ type }) => type);
const list = (agent: TestAgent, params: object = {}): Promise<WireEvents> =>
  agent.call<WireEvents>('events/list', params);

describe('events/list', () => {
  it('tells each participant what the other did, in order, with who did it and in which request', async () => {
    const { task_id } = await bob.send('frank@acme', {}, { 'x-request-id': 'the-send' });
    await frank.accept(task_id);
    await frank.append(task_id, 'Hello');
    await frank.complete(task_id);
    const seen = await list(bob);
    expect(types(seen)).toEqual(['handoff.accepted', 'message.appended', 'handoff.completed']);
    expect((await list(frank)).events).toEqual([
      {
        id: expect.any(String) as string,
        cursor: expect.any(String) as string,
        type: 'handoff.created',
        actor: 'bob@acme',
        actor_kind: 'agent',
        task_id,
        thread_id: task_id,
        payload: { intent: 'inform' },
        request_id: 'the-send',
        created_at: expect.stringMatching(/Z$/) as string,
      },
    ]);
    expect(types(await list(bob, { include_own: true }))).toEqual([
      'handoff.created',
      'handoff.accepted',
      'message.appended',
      'handoff.completed',
    ]);
    expect(types(await list(bob, { types: ['handoff.completed'] }))).toEqual(['handoff.completed']);
  });

  it('goes on from any event and from any page without gap or repetition', async () => {
    for (let i = 0; i < 5; i++) await bob.send('frank@acme');
    const all = await list(frank);
    expect(all.events).toHaveLength(5);
    for (const [index, event] of all.events.entries()) {
      expect((await list(frank, { cursor: event.cursor })).events).toEqual(all.events.slice(index + 1));
    }
    const first = await list(frank, { limit: 2 });
    const second = await list(frank, { limit: 2, cursor: first.cursor });
    const third = await list(frank, { limit: 2, cursor: second.cursor });
    expect([...first.events, ...second.events, ...third.events]).toEqual(all.events);
    expect(await list(frank, { cursor: third.cursor })).toEqual({ events: [], cursor: third.cursor });
  });

  it('shows nobody else anything, and the blocker nothing of what the blocked does', async () => {
    const eve = await relay.agent('eve@acme');
    const { task_id } = await bob.send('frank@acme');
    await frank.accept(task_id);
    expect((await list(eve)).events).toEqual([]);
    await bob.rest('POST', '/agents/me/block', { handle: 'frank@acme' });
    await frank.complete(task_id);
    expect((await list(bob)).events).toEqual([]);
  });

  it('with wait_ms answers at once when something is there, when something comes, and empty with the same cursor at the end', async () => {
    await bob.send('frank@acme');
    const { cursor, events } = await list(frank, { wait_ms: 50_000 });
    expect(events).toHaveLength(1);
    expect(await list(frank, { cursor, wait_ms: 50 })).toEqual({ events: [], cursor });

    const waiting = list(frank, { cursor, wait_ms: 50_000 });
    await bob.send('frank@acme');
    expect(types(await waiting)).toEqual(['handoff.created']);
  });

  it('wakes a waiter on another replica, with and without notifications', async () => {
    const replica = await relay.replica();
    const there = frank.at(replica.url);
    const { cursor } = await list(there);
    const waiting = list(there, { cursor, wait_ms: 50_000 });
    await bob.send('frank@acme');
    expect(types(await waiting)).toEqual(['handoff.created']);

    await relay.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'agentrelay-listen' AND datname = current_database()`,
    );
    const start = Date.now();
    const deaf = list(there, { cursor: (await list(there, { cursor })).cursor, wait_ms: 50_000 });
    await bob.send('frank@acme');
    expect(types(await deaf)).toEqual(['handoff.created']);
    expect(Date.now() - start).toBeLessThan(2_000);
    await replica.app.close();
  });

  it('refuses the eleventh wait of one key, and lets it in when another ends', async () => {
    const { cursor } = await list(frank);
    const waits = Array.from({ length: 10 }, () => list(frank, { cursor, wait_ms: 50_000 }));
    const refused = await eventually('the ten stand in line', async () => {
      const { body } = await frank.rpc('events/list', { cursor, wait_ms: 1 });
      return 'error' in (body as object)
        ? (body as { error: { code: number; data: { code: string } } }).error
        : undefined;
    });
    expect([refused.code, refused.data.code]).toEqual([-32003, 'rate_limited']);
    await bob.send('frank@acme');
    await Promise.all(waits);
    expect((await list(frank, { cursor, wait_ms: 50_000 })).events).toHaveLength(1);
  });

  it('refuses a cursor that is not ours', async () => {
    for (const cursor of ['nonsense', '%%%', Buffer.from('1.99999999999999999999.x').toString('base64url')]) {
      expect(await frank.refusal('events/list', { cursor })).toMatchObject({ symbol: 'invalid_params', status: 400 });
    }
  });
});

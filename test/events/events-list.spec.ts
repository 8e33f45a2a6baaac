import type { WireEvents } from '@agentrelay/protocol';
import { type TestAgent, useRelay } from '@agentrelay/testing';

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
    const seen = await bob.events(3);
    expect(types(seen)).toEqual(['handoff.accepted', 'message.appended', 'handoff.completed']);
    expect((await frank.events(1)).events).toEqual([
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
    expect(types(await bob.events(4, { include_own: true }))).toEqual([
      'handoff.created',
      'handoff.accepted',
      'message.appended',
      'handoff.completed',
    ]);
    expect(types(await bob.events(1, { types: ['handoff.completed'] }))).toEqual(['handoff.completed']);
  });

  it('goes on from any event and from any page without gap or repetition', async () => {
    for (let i = 0; i < 5; i++) await bob.send('frank@acme');
    const all = await frank.events(5);
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
    expect(types(await bob.events(1, { include_own: true }))).toEqual(['handoff.created']);
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
    const deaf = list(there, { cursor: (await list(there, { cursor })).cursor, wait_ms: 50_000 });
    await bob.send('frank@acme');
    expect(types(await deaf)).toEqual(['handoff.created']);
    await replica.app.close();
  });

  it('refuses the eleventh wait of one key, and lets it in when another ends', async () => {
    const there = frank.at(relay.replicaUrl);
    const { cursor } = await list(there);
    const waits = Array.from({ length: 11 }, () => there.rpc('events/list', { cursor, wait_ms: 50_000 }));
    expect(await Promise.race(waits)).toMatchObject({
      status: 429,
      body: { error: { code: -32003, data: { code: 'rate_limited', details: { limit: 10 } } } },
    });
    await bob.send('frank@acme');
    const statuses = (await Promise.all(waits)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
    expect((await list(there, { cursor, wait_ms: 50_000 })).events).toHaveLength(1);
  });

  it('refuses a cursor that is not ours', async () => {
    for (const cursor of ['nonsense', '%%%', Buffer.from('1.99999999999999999999.x').toString('base64url')]) {
      expect(await frank.refusal('events/list', { cursor })).toMatchObject({ symbol: 'invalid_params', status: 400 });
    }
  });
});

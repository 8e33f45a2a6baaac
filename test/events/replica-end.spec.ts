import type { WireEvents } from '@agentrelay/protocol';
import { type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();

let bob: TestAgent;
let frank: TestAgent;
let other: Awaited<ReturnType<typeof relay.replica>>;

beforeEach(async () => {
  ({ bob, frank } = await relay.pair());
  other = await relay.replica();
});

afterEach(async () => {
  if (other.app.getHttpServer().listening) await other.app.close();
});

/** As many long polls as a key may hold, standing in line at the other replica. */
async function tenPolls(cursor: string) {
  const there = frank.at(other.url);
  const polls = Array.from({ length: 11 }, () => there.rpc('events/list', { cursor, wait_ms: 50_000 }));
  // The eleventh is refused as soon as the others are in line.
  expect((await Promise.race(polls)).status).toBe(429);
  return { answers: Promise.all(polls).then((all) => all.filter(({ status }) => status !== 429)) };
}

describe('a long poll', () => {
  it('ends empty with the same cursor when its replica shuts down, and goes on at another one', async () => {
    const { cursor } = await frank.call<WireEvents>('events/list');
    const polls = await tenPolls(cursor);
    await other.app.close();
    const answers = await polls.answers;
    expect(answers).toHaveLength(10);
    for (const { status, body } of answers) {
      expect([status, body]).toEqual([200, { jsonrpc: '2.0', id: 1, result: { events: [], cursor } }]);
    }
    await bob.send('frank');
    const { events } = await frank.call<WireEvents>('events/list', { cursor, wait_ms: 10_000 });
    expect(events.map(({ type }) => type)).toEqual(['handoff.created']);
  });

  it('ends as unauthenticated when its key is revoked on another replica, long before its wait is over', async () => {
    const { cursor } = await frank.call<WireEvents>('events/list');
    const polls = await tenPolls(cursor);
    const { body } = await relay.admin<{ keys: { key_id: string }[] }>('GET', '/admin/agents/frank@acme/keys');
    await relay.admin('DELETE', `/admin/agents/frank@acme/keys/${body.keys[0]!.key_id}`);
    const answers = await polls.answers;
    expect(answers).toHaveLength(10);
    for (const { status, body: answer } of answers) {
      expect([status, answer]).toMatchObject([401, { error: { code: -32001, data: { code: 'unauthenticated' } } }]);
    }
  });
});

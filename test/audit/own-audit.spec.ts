import type { WireEvent } from '@agentrelay/protocol';
import { restCall, type TestAgent, text, useRelay } from '@agentrelay/testing';

const relay = useRelay();

interface Page {
  events: WireEvent[];
  next_cursor: string | null;
}

const SECRET = 'words of nobody else';

let bob: TestAgent;
let frank: TestAgent;
let id: string;

/** bob hands work to frank, who accepts and answers it; others do things of their own. */
beforeEach(async () => {
  ({ bob, frank } = await relay.pair());
  const eve = await relay.agent('eve@acme');
  ({ task_id: id } = await bob.send('frank', { message: text(SECRET) }, { 'x-request-id': 'the-send' }));
  await frank.accept(id);
  await frank.append(id, SECRET);
  await frank.complete(id, { result_summary: SECRET });
  await eve.send('bob');
  await eve.rest('PUT', '/agents/me/card', { description: SECRET });
  await bob.rest('POST', '/agents/me/block', { handle: 'eve', reason: SECRET });
});

async function audit(agent: TestAgent, query = ''): Promise<Page> {
  const { status, body } = await agent.rest<Page>('GET', `/agents/me/events${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

const types = ({ events }: Page): string[] => events.map(({ type }) => type);
const OF_FRANK = ['handoff.completed', 'message.appended', 'handoff.accepted', 'handoff.created', 'agent.registered'];
const OF_BOB = ['block.added', 'handoff.created', ...OF_FRANK];

describe('GET /agents/me/events', () => {
  it('is what happened on own threads and to oneself, newest first, with nothing of strangers', async () => {
    expect(types(await audit(frank))).toEqual(OF_FRANK);
    expect(types(await audit(bob))).toEqual(OF_BOB);
  });

  it('shows each event in full', async () => {
    const { events } = await audit(frank);
    expect(events[3]).toEqual({
      id: expect.any(String) as string,
      cursor: expect.any(String) as string,
      type: 'handoff.created',
      actor: 'bob@acme',
      actor_kind: 'agent',
      task_id: id,
      thread_id: id,
      payload: { intent: 'inform' },
      request_id: 'the-send',
      created_at: (await bob.get(id)).created_at,
    });
    expect(events[4]).toMatchObject({
      type: 'agent.registered',
      actor: 'admin',
      actor_kind: 'admin',
      agent: 'frank@acme',
    });
  });

  it('never holds a word of a message, a reason, or a handle in a payload', async () => {
    const { events } = await audit(bob);
    expect(JSON.stringify(events)).not.toContain(SECRET);
    expect(JSON.stringify(events.map(({ payload }) => payload))).not.toMatch(/@|bob|frank|eve/);
  });

  it('is narrowed by action in either spelling, by who acted, and by a limit', async () => {
    for (const [query, expected] of [
      ['?action=handoff.accepted', ['handoff.accepted']],
      ['?action=handoff.accept', ['handoff.accepted']],
      ['?action=agent.register', ['agent.registered']],
      ['?action=handoff.cancel', []],
      ['?from=bob@acme', ['handoff.created']],
      ['?from=FRANK@acme', OF_FRANK.slice(0, 3)],
      ['?from=eve@acme', []],
      ['?from=frank@acme&action=message.append', ['message.appended']],
      ['?limit=2', OF_FRANK.slice(0, 2)],
    ] as const) {
      expect([query, types(await audit(frank, query))]).toEqual([query, expected]);
    }
  });

  it('begins with since, that moment included', async () => {
    const { accepted_at } = await frank.get(id);
    await relay.database.query(`ALTER TABLE events DISABLE TRIGGER events_are_immutable`);
    await relay.database.query(`UPDATE events SET created_at = created_at - interval '1 s' WHERE created_at < $1`, [
      accepted_at,
    ]);
    await relay.database.query(`ALTER TABLE events ENABLE TRIGGER events_are_immutable`);
    expect(types(await audit(frank, `?since=${accepted_at}`))).toEqual(OF_FRANK.slice(0, 3));
  });

  it.each([1, 3, 7])('in pages of %i shows every event exactly once', async (limit) => {
    const seen: WireEvent[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null; pages++) {
      expect(pages).toBeLessThan(8);
      const page: Page = await audit(bob, `?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...page.events);
      // What happens meanwhile is newer than any later page.
      if (cursor === '') await frank.send('bob');
      cursor = page.next_cursor;
    }
    expect(seen.map(({ type }) => type)).toEqual(OF_BOB);
    expect(new Set(seen.map((event) => event.id)).size).toBe(OF_BOB.length);
  });

  it('refuses parameters that are wrong or unknown, naming each', async () => {
    for (const [query, field] of [
      ['?since=monday', 'since'],
      ['?action=handoff.eaten', 'action'],
      ['?from=bob', 'from'],
      ['?limit=0', 'limit'],
      ['?limit=201', 'limit'],
      [`?cursor=${'x'.repeat(201)}`, 'cursor'],
      ['?actor=bob', 'actor'],
    ]) {
      expect(await frank.rest('GET', `/agents/me/events${query}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_params', details: { faults: [{ field }] } },
      });
    }
  });

  it('refuses a cursor that is not its own, and asks for a key', async () => {
    expect(await frank.rest('GET', '/agents/me/events?cursor=x')).toMatchObject({
      status: 400,
      body: { code: 'invalid_params', details: { field: 'cursor' } },
    });
    expect((await restCall(relay.url, undefined, 'GET', '/agents/me/events')).status).toBe(401);
  });
});

import type { WireEvent } from '@agentrelay/protocol';
import { restCall, type TestAgent, useRelay } from '@agentrelay/testing';
import { decodeEventCursor, encodeEventCursor, LogEpochRepository } from '../../apps/relay/src/events';

const OPS = 'a-second-admin-token-of-40-characters-42';
const relay = useRelay({ RELAY_ADMIN_TOKENS: `ops:${OPS}` });

interface Page {
  events: WireEvent[];
  next_cursor: string | null;
}

let bob: TestAgent;

async function team(query = ''): Promise<Page> {
  const { status, body } = await relay.admin<Page>('GET', `/admin/events${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

const facts = ({ events }: Page) => events.map(({ type, actor }) => [type, actor]);

/** Makes `count` more events about bob by hand. */
function addEvents(count: number): Promise<unknown> {
  return relay.database.query(
    `INSERT INTO events (transaction_id, id, type, actor_kind, agent_id, payload, request_id, created_at)
     SELECT n % 7, gen_random_uuid(), 'card.updated', 'system', $1, json_build_object('n', n), 'r', now()
     FROM generate_series(1, $2) n`,
    [bob.agentId, count],
  );
}

async function exported(query = '') {
  const response = await fetch(`${relay.url}/admin/events${query}`, {
    headers: { authorization: `Bearer ${OPS}`, accept: 'application/x-ndjson', 'x-request-id': 'the-export' },
  });
  const lines = (await response.text()).split('\n');
  expect(lines.pop()).toBe('');
  return { headers: response.headers, events: lines.map((line) => JSON.parse(line) as WireEvent) };
}

beforeEach(async () => {
  bob = await relay.agent('bob@acme');
});

describe('GET /admin/events', () => {
  it('is for administrators only', async () => {
    expect((await relay.anonymous('GET', '/admin/events')).status).toBe(401);
    expect(await bob.rest('GET', '/admin/events')).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect((await restCall(relay.url, OPS, 'GET', '/admin/events')).status).toBe(200);
  });

  it('is everything that happened in the team, newest first, each administrator by name', async () => {
    await restCall(relay.url, OPS, 'POST', '/admin/agents', { handle: 'frank@acme' });
    const human = await relay.humanOf(bob);
    await human.send('frank');
    const seen = await team();
    expect(facts(seen)).toEqual([
      ['handoff.created', 'bob@acme'],
      ['key.issued', 'admin'],
      ['agent.registered', 'ops'],
      ['agent.registered', 'admin'],
    ]);
    expect(seen.events.map(({ actor_kind, agent }) => [actor_kind, agent])).toEqual([
      ['human', undefined],
      ['admin', 'bob@acme'],
      ['admin', 'frank@acme'],
      ['admin', 'bob@acme'],
    ]);
  });

  it.each([
    ['?action=handoff.create', 1],
    ['?action=agent.registered', 2],
    ['?from=bob@acme', 1],
    ['?from=frank@acme', 0],
    ['?since=2099-01-01T00:00:00Z', 0],
    ['?limit=2', 2],
  ])('%s shows %i of three events', async (query, count) => {
    await relay.agent('frank@acme');
    await bob.send('frank');
    expect((await team(query)).events).toHaveLength(count);
  });

  it('goes through the whole log in pages, every event once', async () => {
    await addEvents(30);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Page = await team(`?limit=7${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...page.events.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    const all = await relay.database.query<{ id: string }>(
      `SELECT id FROM events ORDER BY transaction_id DESC, id DESC`,
    );
    expect(seen).toEqual(all.map(({ id }) => id));
    expect(seen).toHaveLength(31);
  });

  it('ends the cursors of its pages when the log is raised, and takes those of versions before', async () => {
    await addEvents(30);
    const { next_cursor } = await team('?limit=7');
    const place = decodeEventCursor(next_cursor!);
    const older = encodeEventCursor({ ...place, epoch: '0' });
    expect((await team(`?cursor=${older}`)).events).toHaveLength(24);
    await relay.app.get(LogEpochRepository).raise();
    expect(await relay.admin('GET', `/admin/events?cursor=${next_cursor}`)).toMatchObject({
      status: 410,
      body: { code: 'cursor_expired', details: { field: 'cursor' } },
    });
    const [first] = (await team('?limit=1')).events;
    expect(decodeEventCursor(first!.cursor).epoch).not.toBe(place.epoch);
  });

  it.each(['?limit=201', '?cursor=x', '?action=x', '?agent=bob'])('refuses %s', async (query) => {
    expect(await relay.admin('GET', `/admin/events${query}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_params' },
    });
  });
});

describe('the export of the team audit', () => {
  it.each([0, 499, 500, 1_101])('is one line an event, the whole log, with %i events by hand', async (count) => {
    await addEvents(count);
    const { headers, events } = await exported();
    const all = await relay.database.query<{ id: string }>(
      `SELECT id FROM events ORDER BY transaction_id DESC, id DESC`,
    );
    expect(events.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    expect(events).toHaveLength(count + 1);
    expect([headers.get('content-type'), headers.get('x-request-id')]).toEqual(['application/x-ndjson', 'the-export']);
  });

  it('shows events as the pages do, and takes the same filters', async () => {
    await addEvents(3);
    const { events } = await exported('?action=card.update');
    expect(events).toEqual((await team('?action=card.update')).events);
    expect(events).toHaveLength(3);
    expect((await exported('?from=bob@acme')).events).toEqual([]);
  });
});

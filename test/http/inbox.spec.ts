import type { WireList } from '@agentrelay/protocol';
import { type TestAgent, text, useRelay } from '@agentrelay/testing';

const relay = useRelay();

let frank: TestAgent;
let since: string;

beforeEach(async () => {
  const pair = await relay.pair();
  frank = pair.frank;
  const grace = await relay.agent('grace@acme');
  const said = (body: string) => ({ message: text(body) });
  await pair.bob.send('frank', said('pending'));
  const accepted = await pair.bob.send('frank', { ...said('accepted'), intent: 'ask_question' });
  await frank.accept(accepted.task_id);
  const cancelled = await pair.bob.send('frank', said('cancelled'));
  await pair.bob.cancel(cancelled.task_id);
  await grace.send('frank', said('from Grace'));
  await frank.send('bob', said('back'));
  // Times a minute apart, so that they can be told apart in a query.
  await relay.database.query(
    `UPDATE handoffs h SET created_at = now() - n * interval '1 minute', updated_at = now() - n * interval '1 minute'
     FROM (SELECT id, row_number() OVER (ORDER BY id DESC) AS n FROM handoffs) o WHERE o.id = h.id`,
  );
  const [row] = await relay.database.query<{ at: Date }>('SELECT created_at AS at FROM handoffs WHERE id = $1', [
    cancelled.task_id,
  ]);
  since = row!.at.toISOString();
});

async function inbox(query: string): Promise<WireList> {
  const { status, body } = await frank.rest<WireList>('GET', `/agents/me/inbox${query}`);
  expect(status).toBe(200);
  return body;
}

/** Without the moment of asking, which differs between two calls. */
function timeless({ as_of, ...list }: WireList): object {
  return { ...list, asOf: typeof as_of };
}

type Case = [query: string, params: object, summaries: string[]];
const ALL = ['from Grace', 'cancelled', 'accepted', 'pending'];
/** `SINCE` stands for the time at which the cancelled one was made. */
const CASES: Case[] = [
  ['', {}, ALL],
  ['?role=recipient', { filter: { role: 'recipient' } }, ALL],
  ['?role=sender', { filter: { role: 'sender' } }, ['back']],
  ['?role=any', { filter: { role: 'any' } }, ['back', ...ALL]],
  ['?status=pending', { filter: { status: ['pending'] } }, ['from Grace', 'pending']],
  ['?status=accepted,cancelled', { filter: { status: ['accepted', 'cancelled'] } }, ['cancelled', 'accepted']],
  ['?intent=ask_question', { filter: { intent: 'ask_question' } }, ['accepted']],
  ['?since=SINCE', { filter: { since: 'SINCE' } }, ['from Grace', 'cancelled']],
  ['?updated_since=SINCE', { filter: { updated_since: 'SINCE' } }, ['from Grace', 'cancelled']],
  ['?counterpart=GRACE@acme', { filter: { counterpart: 'grace@acme' } }, ['from Grace']],
  ['?text=grace', { filter: { text: 'grace' } }, ['from Grace']],
  ['?limit=2', { page: { limit: 2 } }, ['from Grace', 'cancelled']],
  ['?peek=true', { peek: true }, ALL],
  ['?peek=false', {}, ALL],
];

describe('GET /agents/me/inbox', () => {
  it.each(CASES)('with %p answers as tasks/list with %p', async (query, params, summaries) => {
    const rest = await inbox(query.replace('SINCE', since));
    expect(rest.items.map(({ summary_preview }) => summary_preview)).toEqual(summaries);
    const same = JSON.parse(JSON.stringify(params).replace('SINCE', since)) as object;
    expect(timeless(rest)).toEqual(timeless(await frank.call<WireList>('tasks/list', same)));
  });

  it('goes through all pages with its cursor, and only the first says as of when', async () => {
    const first = await inbox('?limit=3');
    const second = await inbox(`?limit=3&cursor=${first.next_cursor}`);
    expect([...first.items, ...second.items].map(({ summary_preview }) => summary_preview)).toEqual(ALL);
    expect([typeof first.as_of, typeof second.as_of, second.next_cursor]).toEqual(['string', 'undefined', null]);
  });

  it('refuses parameters that are wrong or unknown, naming each', async () => {
    for (const [query, field] of [
      ['?role=owner', 'role'],
      ['?status=', 'status'],
      ['?status=pending,', 'status'],
      ['?status=gone', 'status'],
      ['?intent=order', 'intent'],
      ['?since=yesterday', 'since'],
      ['?updated_since=2026-05-01', 'updated_since'],
      [`?counterpart=${'x'.repeat(121)}`, 'counterpart'],
      [`?text=${'x'.repeat(241)}`, 'text'],
      ['?text=', 'text'],
      ['?limit=0', 'limit'],
      ['?limit=201', 'limit'],
      ['?limit=two', 'limit'],
      ['?limit=1&limit=2', 'limit'],
      ['?peek=yes', 'peek'],
      ['?unread=true', 'unread'],
    ]) {
      expect(await frank.rest('GET', `/agents/me/inbox${query}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_params', details: { faults: [{ field }] } },
      });
    }
  });

  it('refuses a cursor that is not its own', async () => {
    expect(await frank.rest('GET', '/agents/me/inbox?cursor=x')).toMatchObject({
      status: 400,
      body: { code: 'invalid_params', details: { field: 'page.cursor' } },
    });
  });
});

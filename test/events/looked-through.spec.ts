import type { WireEvents } from '@agentrelay/protocol';
import { EventStreamReader, eventually, type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();

/** More than one read looks through, of one side of a thread. */
const MANY = 5_000;

let bob: TestAgent;
let frank: TestAgent;

beforeEach(async () => {
  bob = await relay.agent('bob@acme');
  frank = await relay.agent('frank@acme');
});

/** Repeats the event that a handoff began with; every `nth` is then the other participant's. */
async function repeatFirstEvent(taskId: string, nth: number): Promise<string[]> {
  const rows = await relay.database.query<{ id: string; by_other: boolean }>(
    `INSERT INTO events (transaction_id, id, type, actor_kind, actor_id, handoff_id, sender_id, recipient_id, payload, request_id, created_at)
     SELECT e.transaction_id, ('f0000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'message.appended', e.actor_kind,
       CASE WHEN n % $3 = 0 THEN e.recipient_id ELSE e.sender_id END, e.handoff_id, e.sender_id, e.recipient_id, e.payload, 'copy', e.created_at
     FROM events e, generate_series(1, $2) n WHERE e.handoff_id = $1 AND e.type = 'handoff.created'
     RETURNING id, actor_id = recipient_id AS by_other`,
    [taskId, MANY, nth],
  );
  return rows.filter(({ by_other }) => by_other).map(({ id }) => id);
}

/** Reads on for as long as that leads further. */
async function readToTheEnd(agent: TestAgent, params: object = {}): Promise<{ ids: string[]; emptyPages: number }> {
  const ids: string[] = [];
  let emptyPages = 0;
  let cursor: string | undefined;
  for (;;) {
    const page = await agent.call<WireEvents>('events/list', {
      ...params,
      limit: 200,
      ...(cursor === undefined ? {} : { cursor }),
    });
    if (page.cursor === cursor) return { ids, emptyPages };
    if (page.events.length === 0) emptyPages++;
    ids.push(...page.events.map(({ id }) => id));
    cursor = page.cursor;
  }
}

it('a reader to whom little of what was looked through is told goes on from there, at once and also where it would wait', async () => {
  const { task_id } = await bob.send('frank@acme');
  await repeatFirstEvent(task_id, MANY + 1);
  await frank.append(task_id, 'The only thing that bob did not do.');
  const first = await bob.call<WireEvents>('events/list', { wait_ms: 50_000 });
  expect(first.events).toEqual([]);
  const second = await bob.call<WireEvents>('events/list', { wait_ms: 50_000, cursor: first.cursor });
  expect(second.events).toEqual([]);
  expect(second.cursor).not.toBe(first.cursor);
  const third = await bob.call<WireEvents>('events/list', { wait_ms: 50_000, cursor: second.cursor });
  expect(third.events.map(({ type, actor }) => [type, actor])).toEqual([['message.appended', 'frank@acme']]);
});

it.each([2, 97, 1_999, 2_000, 2_001])(
  'reading on tells every wanted event once, in order, when every %ith is one',
  async (nth) => {
    const { task_id } = await bob.send('frank@acme');
    const wanted = await repeatFirstEvent(task_id, nth);
    const other = await frank.send('bob@acme');
    await frank.append(other.task_id, 'x');
    const { ids, emptyPages } = await readToTheEnd(bob, { types: ['message.appended'] });
    expect(ids.slice(0, wanted.length)).toEqual(wanted);
    expect(ids).toHaveLength(wanted.length + 1);
    expect(emptyPages).toBeLessThanOrEqual(MANY / 2_000 + 1);
  },
);

/** Writes `MANY` events of both threads at places of their own, each of that side and by that participant. */
async function writeEvents(
  sent: string,
  received: string,
  eventAt: (n: number) => { thread: 'sent' | 'received'; own: boolean },
): Promise<string[]> {
  const planned = Array.from({ length: MANY }, (_, n) => eventAt(n));
  const rows = await relay.database.query<{ n: number; id: string }>(
    `INSERT INTO events (transaction_id, id, type, actor_kind, actor_id, handoff_id, sender_id, recipient_id, payload, request_id, created_at)
     SELECT p.n - 100000, ('f0000000-0000-7000-8000-' || lpad(to_hex(p.n), 12, '0'))::uuid, 'message.appended', 'agent',
       CASE WHEN p.own THEN $4::uuid ELSE $5::uuid END, e.handoff_id, e.sender_id, e.recipient_id, e.payload, 'copy', e.created_at
     FROM unnest($1::integer[], $2::uuid[], $3::boolean[]) p (n, task, own)
     JOIN events e ON e.handoff_id = p.task AND e.type = 'handoff.created' AND e.transaction_id > 0
     RETURNING (transaction_id + 100000)::integer AS n, id`,
    [
      planned.map((_, n) => n),
      planned.map(({ thread }) => (thread === 'sent' ? sent : received)),
      planned.map(({ own }) => own),
      bob.agentId,
      frank.agentId,
    ],
  );
  expect(rows).toHaveLength(MANY);
  return rows
    .filter(({ n }) => !planned[n]!.own)
    .sort((a, b) => a.n - b.n)
    .map(({ id }) => id);
}

it.each<[string, (n: number) => { thread: 'sent' | 'received'; own: boolean }]>([
  [
    'one side is full of own events, and others follow on both',
    (n) => ({ thread: n % 2 === 0 ? 'received' : 'sent', own: n < 4_400 && n % 2 === 1 }),
  ],
  [
    'all that is wanted of one side lies beyond what is looked through',
    (n) => ({ thread: n < 4_000 ? 'sent' : n % 2 === 0 ? 'sent' : 'received', own: n < 4_000 }),
  ],
  [
    'a few of one side stand between many of the other',
    (n) => ({ thread: n % 50 === 0 ? 'received' : 'sent', own: n % 50 !== 0 && n % 7 !== 0 }),
  ],
  ['own and others alternate on both sides', (n) => ({ thread: n % 3 === 0 ? 'received' : 'sent', own: n % 5 !== 0 })],
])('reading on tells every wanted event of both sides once, in order, when %s', async (_, eventAt) => {
  const sent = await bob.send('frank@acme');
  const received = await frank.send('bob@acme');
  const wanted = await writeEvents(sent.task_id, received.task_id, eventAt);
  const { ids } = await readToTheEnd(bob, { types: ['message.appended'] });
  expect(ids).toEqual(wanted);
});

it('a stream goes past what a blocked teammate did, without waiting for news', async () => {
  const { task_id } = await frank.send('bob@acme');
  await repeatFirstEvent(task_id, MANY + 1);
  await bob.rest('POST', '/agents/me/block', { handle: 'frank@acme' });
  const eve = await relay.agent('eve@acme');
  await eve.send('bob@acme');
  const { cursor } = await bob.call<WireEvents>('events/list', { limit: 1 });
  const stream = await EventStreamReader.open(bob, cursor);
  await eventually('eve’s handoff is told', () => stream.events.some(({ actor }) => actor === 'eve@acme'));
  expect(stream.events.filter(({ actor }) => actor === 'frank@acme')).toEqual([]);
  stream.close();
});

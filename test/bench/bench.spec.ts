import type { WireList } from '@agentrelay/protocol';
import { type TestAgent, useRelay } from '@agentrelay/testing';
import { impossibilities } from '../model/impossibilities';
import { query } from './cluster';
import { countOperations, type OperationCount, STATEMENT_BUDGETS } from './operations';
import { listStatement, threadStatement } from './relay-statements';
import { seedHandoffs, seedLongThread } from './seed';
import { StatementCounter } from './statement-counter';

const SEEDED = 300;
const relay = useRelay();

/** Agents whose handles are in the order in which they were registered. */
async function team(size: number): Promise<TestAgent[]> {
  const agents: TestAgent[] = [];
  for (let i = 1; i <= size; i++) agents.push(await relay.agent(`agent-${String(i).padStart(4, '0')}@acme`));
  return agents;
}

/** Every item that the agent's list shows, page by page. */
async function wholeList(agent: TestAgent, role: string): Promise<WireList['items']> {
  const items: WireList['items'] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = { limit: 50, ...(cursor === undefined ? {} : { cursor }) };
    const answer: WireList = await agent.call('tasks/list', { filter: { role }, page });
    items.push(...answer.items);
    cursor = answer.next_cursor;
  }
  return items;
}

describe('seeded handoffs', () => {
  it('are what commands could have left behind, in every state', async () => {
    const [first] = await team(8);
    await seedHandoffs(relay.database.url, SEEDED);
    expect(await impossibilities(relay.database)).toEqual([]);
    expect(await relay.database.query(INCONSISTENCIES)).toEqual([]);
    const states = await relay.database.query<{ status: string; count: number }>(
      'SELECT status, count(*)::integer AS count FROM handoffs GROUP BY status ORDER BY status',
    );
    expect(states.map(({ status }) => status)).toEqual(['accepted', 'cancelled', 'completed', 'pending']);
    expect(states.reduce((sum, { count }) => sum + count, 0)).toBe(SEEDED);
    const received = await relay.database.query('SELECT FROM handoffs WHERE recipient_id = $1', [first?.agentId]);
    expect(received).toHaveLength(SEEDED / 5);
  });

  it('are listed, read and worked on like any other', async () => {
    const [first] = await team(8);
    await seedHandoffs(relay.database.url, SEEDED);
    const items = await wholeList(first!, 'recipient');
    expect(new Set(items.map(({ task_id }) => task_id)).size).toBe(SEEDED / 5);
    const { unread_total } = await first!.call<WireList>('tasks/list', { filter: { role: 'recipient' } });
    expect(unread_total).toBe(items.reduce((sum, { unread_messages }) => sum + unread_messages, 0));
    const { task_id } = items.find(({ status }) => status.state === 'pending')!;
    expect((await first!.get(task_id)).artifacts).toHaveLength(2);
    await first!.accept(task_id);
    expect((await first!.complete(task_id)).status.state).toBe('completed');
    expect(await impossibilities(relay.database)).toEqual([]);
  });

  it('include one long thread that both sides can read whole', async () => {
    const [sender, recipient] = await team(2);
    const id = await seedLongThread(relay.database.url, 40);
    expect(await impossibilities(relay.database)).toEqual([]);
    for (const agent of [sender!, recipient!]) expect((await agent.get(id)).messages).toHaveLength(40);
  });
});

describe('a floor', () => {
  it('is the statement that the relay itself answers a list and a thread from', async () => {
    const [first] = await team(8);
    await seedHandoffs(relay.database.url, SEEDED);
    const items = (await first!.call<WireList>('tasks/list', { filter: { role: 'recipient' } })).items;
    const list = await listStatement(first!, 50);
    const [page] = await query<{ rows: { id: string }[] }>(relay.database.url, list.text, list.values);
    // One more, so that the relay sees whether there are further pages.
    expect(page?.rows.slice(0, 50).map(({ id }) => id)).toEqual(items.map(({ task_id }) => task_id));
    const thread = await threadStatement(first!, items[0]!.task_id);
    const [read] = await query<{ id: string }>(relay.database.url, thread.text, thread.values);
    expect(read?.id).toBe(items[0]!.task_id);
  });
});

describe('the statement counter', () => {
  let counts: OperationCount[];
  beforeEach(async () => {
    const [sender, recipient] = await team(2);
    const counter = await StatementCounter.on(relay.database.url);
    counts = await countOperations(relay.url, counter, sender!, recipient!);
  });

  it('finds every operation within its budget, BEGIN and COMMIT included', () => {
    const over = counts.filter(({ operation, statements }) => statements > STATEMENT_BUDGETS[operation]);
    expect(over).toEqual([]);
    expect(counts.map(({ operation }) => operation).sort()).toEqual(Object.keys(STATEMENT_BUDGETS).sort());
    const send = counts.find(({ operation }) => operation === 'send')!;
    const calls = (pattern: RegExp): number[] =>
      send.counted.filter(({ text }) => pattern.test(text)).map(({ calls: times }) => times);
    expect([
      calls(/^START TRANSACTION ISOLATION LEVEL READ COMMITTED$/),
      calls(/^COMMIT$/),
      calls(/INSERT INTO handoffs/),
    ]).toEqual([[20], [20], [20]]);
  });

  it('sees no statement that was not executed, and each as often as it was', async () => {
    const counter = await StatementCounter.on(relay.database.url);
    const counted = await counter.during(async () => {
      for (let n = 0; n < 3; n++) await relay.database.query('SELECT count(*) FROM blocks');
    });
    expect(counted.filter(({ text }) => text.includes('blocks'))).toEqual([
      { text: 'SELECT count(*) FROM blocks', calls: 3 },
    ]);
  });
});

/** Columns that tell what other rows tell too, where the two differ. */
const INCONSISTENCIES = `
  SELECT 'counts' AS what, h.id FROM handoffs h JOIN LATERAL (
      SELECT count(*) AS all, count(*) FILTER (WHERE author_id = h.sender_id) AS by_sender, count(*) FILTER (WHERE author_id = h.recipient_id) AS by_recipient
      FROM messages m WHERE m.handoff_id = h.id) m ON true
    WHERE (h.message_count, h.sender_message_count, h.recipient_message_count) <> (m.all, m.by_sender, m.by_recipient)
  UNION ALL SELECT 'preview', h.id FROM handoffs h JOIN messages m ON m.handoff_id = h.id AND m.sequence_no = 1
    WHERE h.summary_preview <> left(m.body, 240) OR h.artifact_count <> json_array_length(m.artifacts)
  UNION ALL SELECT 'result', h.id FROM handoffs h
    WHERE (h.status = 'completed') <> EXISTS (SELECT FROM messages m WHERE m.handoff_id = h.id AND m.kind = 'result' AND m.sequence_no = h.message_count)
  UNION ALL SELECT 'read', p.handoff_id FROM read_positions p JOIN handoffs h ON h.id = p.handoff_id
    WHERE p.agent_id NOT IN (h.sender_id, h.recipient_id) OR p.sequence_no > h.message_count OR p.others_read <> (
      SELECT count(*) FROM messages m WHERE m.handoff_id = p.handoff_id AND m.sequence_no <= p.sequence_no AND m.author_id <> p.agent_id)
  UNION ALL SELECT 'opened', h.id FROM handoffs h
    WHERE (h.opened_at IS NOT NULL) <> EXISTS (SELECT FROM read_positions p WHERE p.handoff_id = h.id AND p.agent_id = h.recipient_id)
  UNION ALL SELECT 'versions', h.id FROM handoffs h WHERE h.version <> 1 + (
      SELECT count(*) FROM events e WHERE e.handoff_id = h.id AND e.type IN ('handoff.accepted', 'handoff.completed', 'handoff.cancelled'))
  UNION ALL SELECT 'future', id FROM handoffs WHERE updated_at > now()
  UNION ALL SELECT 'keys', r.handoff_id FROM idempotency_records r LEFT JOIN handoffs h ON h.id = r.handoff_id WHERE h.id IS NULL`;

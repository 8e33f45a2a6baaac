import assert from 'node:assert/strict';
import type { TestDatabase } from '@agentrelay/testing';
import type { Logged } from './event-reader';
import { impossibilities } from './impossibilities';
import { type Handoff, type Happening, type State } from './state';
import { AGENT_IDS } from './views';
import { same } from './same';

/** What must stand in the tables after a history, told by SQL alone. */
export async function checkDatabase(database: TestDatabase, state: State): Promise<Logged[]> {
  await handoffs(database, state);
  await messages(database, state);
  await readPositions(database, state);
  await idempotencyRecords(database, state);
  await blocksOf(database, state);
  same(await impossibilities(database), []);
  return events(database, state);
}

const id = (agent: number): string => AGENT_IDS[agent]!;
const iso = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS ${column}`;

async function handoffs(database: TestDatabase, state: State): Promise<void> {
  const times = ['created_at', 'updated_at', 'accepted_at', 'completed_at', 'cancelled_at'].map(iso).join(', ');
  const rows = await database.query(`
    SELECT id, sender_id, recipient_id, status, intent, version, outcome, accepted_session_id, message_count,
      sender_message_count, recipient_message_count, ${times}, listed_at IS NOT NULL AS listed, opened_at IS NOT NULL AS opened
    FROM handoffs ORDER BY id`);
  const by = (handoff: Handoff, agent: number): number => handoff.messages.filter((m) => m.author === agent).length;
  const expected = state.handoffs.map((handoff) => ({
    id: handoff.id,
    sender_id: id(handoff.sender),
    recipient_id: id(handoff.recipient),
    status: handoff.status,
    intent: handoff.intent,
    version: handoff.version,
    outcome: handoff.outcome ?? null,
    accepted_session_id: handoff.session ?? null,
    message_count: handoff.messages.length,
    sender_message_count: by(handoff, handoff.sender),
    recipient_message_count: by(handoff, handoff.recipient),
    created_at: handoff.createdAt,
    updated_at: handoff.updatedAt,
    accepted_at: handoff.acceptedAt ?? null,
    completed_at: handoff.completedAt ?? null,
    cancelled_at: handoff.cancelledAt ?? null,
    listed: handoff.listed,
    opened: handoff.opened,
  }));
  same(
    rows,
    expected.sort((a, b) => (a.id < b.id ? -1 : 1)),
  );
}

async function messages(database: TestDatabase, state: State): Promise<void> {
  for (const handoff of state.handoffs) {
    const rows = await database.query<{ id: string }>(
      `SELECT sequence_no, id, author_id, kind, body, payload, artifacts, ${iso('created_at')}
       FROM messages WHERE handoff_id = $1 ORDER BY sequence_no`,
      [handoff.id],
    );
    const expected = handoff.messages.map((message, i) => ({
      sequence_no: i + 1,
      id: message.id ?? rows[i]?.id,
      author_id: id(message.author),
      kind: message.kind,
      body: message.body,
      payload: message.payload,
      artifacts: message.artifacts,
      created_at: message.at,
    }));
    same(rows, expected);
  }
  const [total] = await database.query<{ count: number }>('SELECT count(*)::integer AS count FROM messages');
  assert.equal(
    total?.count,
    state.handoffs.reduce((sum, handoff) => sum + handoff.messages.length, 0),
  );
}

async function readPositions(database: TestDatabase, state: State): Promise<void> {
  const rows = await database.query<{ place: string }>(
    `SELECT concat_ws(' ', handoff_id, agent_id, principal, sequence_no, others_read) AS place FROM read_positions`,
  );
  const expected = state.handoffs.flatMap((handoff) =>
    handoff.readTo.flatMap((to, agent) => {
      const others = handoff.messages.slice(0, to).filter(({ author }) => author !== agent).length;
      return to === 0 ? [] : [[handoff.id, id(agent), 'agent', to, others].join(' ')];
    }),
  );
  same(rows.map(({ place }) => place).sort(), expected.sort());
}

const COMMANDS: Record<string, string> = {
  send: 'handoff.send',
  accept: 'handoff.accept',
  complete: 'handoff.complete',
  cancel: 'handoff.cancel',
  append: 'message.append',
  draft: 'draft.append',
};

async function idempotencyRecords(database: TestDatabase, state: State): Promise<void> {
  const rows = await database.query<{ record: string }>(
    `SELECT concat_ws(' ', a.id, command, key, handoff_id) AS record
     FROM idempotency_records r JOIN agents a ON to_jsonb(r)::text LIKE '%' || a.id || '%'`,
  );
  const expected = state.remembered.map(({ agent, command, key, handoff }) =>
    [id(agent), COMMANDS[command], key, state.handoffs[handoff]!.id].join(' '),
  );
  same(rows.map(({ record }) => record).sort(), expected.sort());
}

async function blocksOf(database: TestDatabase, state: State): Promise<void> {
  const rows = await database.query<{ pair: string }>(`SELECT blocker_id || '>' || blocked_id AS pair FROM blocks`);
  const expected = state.blocks.map((pair) =>
    pair
      .split('>')
      .map((agent) => id(Number(agent)))
      .join('>'),
  );
  same(rows.map(({ pair }) => pair).sort(), expected.sort());
}

/** The log in its order, which must be the model's order of steps. */
async function events(database: TestDatabase, state: State): Promise<Logged[]> {
  const rows = await database.query<Row>(`
    SELECT id, type, actor_kind, actor_id, handoff_id, agent_id, payload, sender_id, recipient_id
    FROM events ORDER BY transaction_id, id`);
  const unexplained = [...state.events];
  let step = 0;
  return rows
    .map((row) => {
      const index = unexplained.findIndex((event) => describes(event, row, state));
      const [event] = index === -1 ? [] : unexplained.splice(index, 1);
      assert.ok(event !== undefined, `The log has an event that nothing caused: ${JSON.stringify(row)}`);
      assert.ok(event.step >= step, `The log tells ${row.type} after what came later.`);
      step = event.step;
      const { actor } = event;
      const audience = [row.sender_id, row.recipient_id].flatMap((agent) =>
        agent === null ? [] : [AGENT_IDS.indexOf(agent)],
      );
      return { id: row.id, type: row.type, actor, handoff: row.handoff_id, step, audience };
    })
    .concat(missing(unexplained));
}

interface Row {
  id: string;
  type: string;
  actor_kind: string;
  actor_id: string;
  handoff_id: string | null;
  agent_id: string | null;
  payload: object;
  sender_id: string | null;
  recipient_id: string | null;
}

function missing(events: readonly Happening[]): [] {
  same(events, []);
  return [];
}

function describes({ type, actor, handoff, payload }: Happening, row: Row, { handoffs: all }: State): boolean {
  const of = handoff === undefined ? undefined : all[handoff];
  const { blocked, ...facts } = payload as { blocked?: number };
  const expected = {
    type,
    actor_kind: 'agent',
    actor_id: id(actor),
    handoff_id: of?.id ?? null,
    agent_id: of === undefined ? id(actor) : null,
    payload: blocked === undefined ? facts : { blocked_id: id(blocked) },
    sender_id: of === undefined ? null : id(of.sender),
    recipient_id: of === undefined ? null : id(of.recipient),
  };
  const { id: _, ...actual } = row;
  return (
    JSON.stringify(expected) ===
    JSON.stringify(Object.fromEntries(Object.keys(expected).map((k) => [k, actual[k as keyof typeof actual]])))
  );
}

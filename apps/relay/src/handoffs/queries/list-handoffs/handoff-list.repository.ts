import { HANDOFF_STATES, type HandoffState, type Intent, type ListRole, type Outcome } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import sql, { empty, join, type Sql } from 'sql-template-tag';
import { UnitOfWork } from '../../../database';
import type { Caller } from '../../../identity';
import type { ParticipantView } from '../../handoff.views';
import { othersCount, participantJson } from '../../participant.sql';
import type { ListPosition } from './list-cursor';
import type { HandoffFilter } from './list-handoffs.query';

/** `unread_total` counts over this many matching handoffs, those with the newest activity. */
const UNREAD_WINDOW = 1_000;

export interface HandoffListRow {
  id: string;
  status: HandoffState;
  outcome: Outcome | null;
  intent: Intent;
  summary_preview: string;
  artifact_count: number;
  created_at: Date;
  updated_at: Date;
  sender: ParticipantView;
  recipient: ParticipantView;
  unread: number;
}

export interface HandoffListPage {
  rows: HandoffListRow[];
  unreadTotal: number;
  asOf: Date;
}

const SIDES: Record<ListRole, Sql[]> = {
  recipient: [sql`recipient_id`],
  sender: [sql`sender_id`],
  any: [sql`recipient_id`, sql`sender_id`],
};

/** The inbox query: one statement over the two list indexes, reading no message and no artifact. */
@Injectable()
export class HandoffListRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * At most `limit` + 1 rows after `position`, so that the caller sees whether there are more. One statement; on a first page a
   * second and third where a write ended just between its snapshot and its look at the open ones.
   */
  async page(
    filter: HandoffFilter,
    limit: number,
    position: ListPosition | undefined,
    peek: boolean,
    caller: Caller,
  ): Promise<HandoffListPage> {
    const asOf = position === undefined ? AS_OF_THIS_SNAPSHOT : sql`now()`;
    const page = await this.list(filter, limit, position, peek, caller, asOf);
    if (page.asOf !== null) return { ...page, asOf: page.asOf };
    const before = await this.asOf();
    return { ...(await this.list(filter, limit, position, peek, caller, sql`${before}::timestamptz`)), asOf: before };
  }

  /** What a list may call its `as_of` whose statement comes after this one. */
  private async asOf(): Promise<Date> {
    const [row] = await this.unitOfWork.query<{ as_of: Date }>(sql`
      WITH ${OPEN_WRITES} SELECT ${OLDEST_OPEN_WRITE} AS as_of`);
    if (row === undefined) throw new Error('The statement yields one row.');
    return row.as_of;
  }

  private async list(
    filter: HandoffFilter,
    limit: number,
    position: ListPosition | undefined,
    peek: boolean,
    caller: Caller,
    asOf: Sql,
  ): Promise<Omit<HandoffListPage, 'asOf'> & { asOf: Date | null }> {
    // Of a filter by text the first page is the beginning of what the unread are counted over: what it costs is done once.
    const once = filter.text !== undefined && position === undefined;
    const page = once
      ? sql`SELECT * FROM recent ORDER BY updated_at DESC, id DESC LIMIT ${limit + 1}`
      : newestMatching(
          SHOWN_COLUMNS,
          filter,
          caller,
          position === undefined ? empty : afterPosition(position),
          limit + 1,
        );
    const [result] = await this.unitOfWork.query<{
      rows: HandoffListRow[] | null;
      unread_total: number;
      as_of: Date | null;
    }>(sql`
      WITH ${OPEN_WRITES}, recent AS MATERIALIZED (
        ${newestMatching(once ? SHOWN_COLUMNS : UNREAD_COLUMNS, filter, caller, empty, UNREAD_WINDOW)}
      ), page AS MATERIALIZED (
        ${page}
      ), listed AS (
        ${peek ? sql`SELECT` : markListed(caller, limit)}
      )
      SELECT
        -- First, so that hardly anything ends between the snapshot and this.
        ${asOf} AS as_of,
        (SELECT json_agg(row ORDER BY row.updated_at DESC, row.id DESC) FROM (
          SELECT h.id, h.status, h.outcome, h.intent, h.summary_preview, h.artifact_count, h.created_at, h.updated_at,
            ${participantJson('s')} AS sender, ${participantJson('r')} AS recipient,
            h.others - coalesce(p.others_read, 0) AS unread
          FROM page h JOIN agents s ON s.id = h.sender_id JOIN agents r ON r.id = h.recipient_id
          LEFT JOIN read_positions p ON p.handoff_id = h.id AND ${ofReader(caller)}
        ) row) AS rows,
        -- The ids as one array: an index walk that reads each of its pages once, instead of a thousand from the root.
        (coalesce((SELECT sum(others) FROM recent), 0) - coalesce((
          SELECT sum(p.others_read) FROM read_positions p
          WHERE p.handoff_id = ANY(ARRAY(SELECT id FROM recent)) AND ${ofReader(caller)}), 0))::integer AS unread_total`);
    if (result === undefined) throw new Error('The list query yields one row.');
    const rows = (result.rows ?? []).map((row) => ({
      ...row,
      created_at: new Date(row.created_at),
      updated_at: new Date(row.updated_at),
    }));
    return { rows, unreadTotal: result.unread_total, asOf: result.as_of };
  }
}

/** Notes that handoffs have appeared in their recipient's list; rows that a writer holds are noted the next time. */
function markListed(caller: Caller, limit: number): Sql {
  return sql`
    UPDATE handoffs h SET listed_at = clock_timestamp() FROM (
      SELECT u.id FROM handoffs u
      WHERE u.id IN (SELECT id FROM page ORDER BY updated_at DESC, id DESC LIMIT ${limit})
        AND u.listed_at IS NULL AND u.recipient_id = ${caller.agentId}::uuid
      FOR UPDATE SKIP LOCKED) unlisted
    WHERE h.id = unlisted.id`;
}

/**
 * SQL: when the oldest write began that is open, and what has ended by the time that this was looked at. In a transaction of its own
 * a statement's `now()` comes before its snapshot; `statement_timestamp()` may come after it.
 */
const OPEN_WRITES = sql`look AS MATERIALIZED (
  SELECT date_trunc('milliseconds', least(now(), min(xact_start))) AS oldest, fresh_snapshot()::text AS after
  FROM pg_stat_activity WHERE datname = current_database() AND backend_xid IS NOT NULL)`;

/** Whatever is still open when this is asked, and whatever comes later, carries a later time than this. */
const OLDEST_OPEN_WRITE = sql`(SELECT oldest FROM look)`;

/**
 * The same for everything that this statement's own snapshot does not show; null where a transaction has ended between the snapshot
 * and the look, because it may have been a write, and nothing says when it began.
 */
const AS_OF_THIS_SNAPSHOT = sql`(SELECT CASE WHEN after = pg_current_snapshot()::text THEN oldest END FROM look)`;

function afterPosition({ updatedAt, id }: ListPosition): Sql {
  return sql`AND (h.updated_at, h.id) < (${updatedAt}::timestamptz, ${id}::uuid)`;
}

function ofReader(caller: Caller): Sql {
  return sql`p.agent_id = ${caller.agentId}::uuid AND p.principal = ${caller.principal}`;
}

/** A text filter looks at this many handoffs, those with the newest activity that match everything else. */
const TEXT_WINDOW = 1_000;

/** What an unread count needs. */
const UNREAD_COLUMNS = sql`h.id, h.updated_at`;
/** What an item shows. */
const SHOWN_COLUMNS = sql`h.id, h.status, h.outcome, h.intent, h.summary_preview, h.artifact_count, h.created_at, h.updated_at,
  h.sender_id, h.recipient_id`;

/**
 * One index range per side and state, each already in order, merged and cut: never a sort of everything. The state is hidden in a
 * subquery from the planner, which would else walk the index of ended handoffs for a reader who has many: that of everybody's.
 */
function newestMatching(columns: Sql, filter: HandoffFilter, caller: Caller, after: Sql, limit: number): Sql {
  const { text, ...others } = filter;
  if (text === undefined) return newestOf(columns, others, caller, after, limit);
  return sql`
    SELECT * FROM (${newestOf(columns, others, caller, after, TEXT_WINDOW)}) h
    WHERE EXISTS (SELECT FROM messages m
      WHERE m.handoff_id = h.id AND m.sequence_no = 1 AND position(lower(${text}) IN lower(m.body)) > 0)
    ORDER BY h.updated_at DESC, h.id DESC LIMIT ${limit}`;
}

type PlainFilter = Omit<HandoffFilter, 'text'>;

function newestOf(columns: Sql, filter: PlainFilter, caller: Caller, after: Sql, limit: number): Sql {
  const states = filter.states.length === 0 ? HANDOFF_STATES : [...new Set(filter.states)];
  const ranges = SIDES[filter.role].flatMap((side) =>
    states.map(
      (state) => sql`(
        SELECT ${columns}, ${othersCount(caller.agentId)} AS others
        FROM handoffs h
        WHERE h.${side} = ${caller.agentId}::uuid AND h.status = (SELECT ${state}::text) ${conditions(filter, side)} ${after}
        ORDER BY h.updated_at DESC, h.id DESC LIMIT ${limit})`,
    ),
  );
  return sql`SELECT * FROM (${join(ranges, ' UNION ALL ')}) h ORDER BY h.updated_at DESC, h.id DESC LIMIT ${limit}`;
}

function conditions(filter: PlainFilter, side: Sql): Sql {
  const other = side.text === 'recipient_id' ? sql`sender_id` : sql`recipient_id`;
  return sql`
    ${filter.intent === undefined ? empty : sql`AND h.intent = ${filter.intent}`}
    ${filter.since === undefined ? empty : sql`AND h.created_at >= ${filter.since}::timestamptz`}
    ${filter.updatedSince === undefined ? empty : sql`AND h.updated_at >= ${filter.updatedSince}::timestamptz`}
    ${filter.counterpart === undefined ? empty : sql`AND h.${other} = (SELECT id FROM agents WHERE handle = ${filter.counterpart})`}`;
}

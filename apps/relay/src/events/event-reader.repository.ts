import { Injectable } from '@nestjs/common';
import sql, { empty, join, type Sql } from 'sql-template-tag';
import { DatabaseConfig } from '../config';
import { DatabaseAway, UnitOfWork } from '../database';
import { BEFORE_ALL_IDS, BEFORE_ALL_TRANSACTIONS, cursorExpired, type EventPosition } from './event-cursor';
import { CREDENTIAL_EVENT_TYPES, type EventType } from './event-types';
import { LogHome } from './log-home';
import { CLUSTER } from './log-home.repository';

/** An event as its audience sees it. */
export interface EventView {
  transactionId: string;
  id: string;
  type: EventType;
  actorKind: 'agent' | 'human' | 'admin' | 'system';
  /** Handle of the acting agent, name of the administrator, or `system`. */
  actor: string;
  handoffId: string | null;
  /** Handle of the agent that an event outside any thread concerns. */
  subject: string | null;
  payload: Record<string, unknown>;
  requestId: string;
  createdAt: Date;
}

/** Which of the signals about its threads a reader wants. Those about what a blocked agent does are for nobody. */
export interface EventSelection {
  agentId: string;
  types: readonly EventType[];
  includeOwn: boolean;
}

export interface EventPage {
  events: EventView[];
  /**
   * Where to read on from: after the last event of a full page, after what was looked at where not all of it was, after the
   * transaction of the last one where nothing more can be read, else where it was read from. Never the horizon: a transaction that
   * left nothing behind may lose its id to a later one when the database crashes.
   */
  next: EventPosition;
  /** Whether there may be more now: the page is full, or was looked for in as many events as one read looks at. */
  more: boolean;
}

/**
 * Only below this transaction is the log complete: whatever is still uncommitted has a higher one. A transaction that
 * stays open delays readers, and loses them nothing.
 */
export const HORIZON = sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;

/** SQL: an event `e` as its audience sees it, with the tables of WITH_NAMES. */
export const EVENT_VIEW = sql`
  e.transaction_id AS "transactionId", e.id, e.type, e.actor_kind AS "actorKind",
  coalesce(actor.handle, e.actor_name, 'system') AS actor, e.handoff_id AS "handoffId", subject.handle AS subject,
  e.payload, e.request_id AS "requestId", e.created_at AS "createdAt"`;

export const WITH_NAMES = sql`LEFT JOIN agents actor ON actor.id = e.actor_id LEFT JOIN agents subject ON subject.id = e.agent_id`;

/** Events of each side of its threads that one read looks through for those that its selection wants. */
const LOOKED_THROUGH = 2_000;

/** More than anybody revokes while one write is open. */
const ENDED_CREDENTIALS = 1_000;

/** Reads the log forward, in an order that no late commit can be skipped in. Each read sees the log's state and its events in one snapshot. */
@Injectable()
export class EventReaderRepository {
  private readonly state: Sql;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly home: LogHome,
    { pooled }: DatabaseConfig,
  ) {
    this.state = logState(pooled);
  }

  /**
   * The next events after `from`, or from the oldest retained, among so many as one read looks through.
   * @throws RelayError cursor_expired when the log no longer reaches back to `from`
   */
  async read(selection: EventSelection, from: EventPosition | undefined, limit: number): Promise<EventPage> {
    const start = from ?? { transactionId: BEFORE_ALL_TRANSACTIONS, id: BEFORE_ALL_IDS };
    const ranges = SIDES.map((side) => range(side, selection.agentId, start));
    const rows = await this.unitOfWork.query<StateRow & EdgeRow & Maybe<EventView>>(sql`
      WITH log AS MATERIALIZED (${this.state}), next AS MATERIALIZED (
        SELECT * FROM (${join(
          ranges.map((looked) => wanted(looked, selection, limit)),
          ' UNION ALL ',
        )}) e ORDER BY transaction_id, id LIMIT ${limit}
      ), edge AS (
        -- Beyond the place to which one side was looked through, what the other side has is not yet all that there is.
        SELECT * FROM (${join(ranges.map(lastLookedAt), ' UNION ALL ')}) e ORDER BY transaction_id, id LIMIT 1
      )
      SELECT log.*, edge.transaction_id AS "edgeTransactionId", edge.id AS "edgeId", ${EVENT_VIEW}
      FROM log LEFT JOIN edge ON true
      LEFT JOIN next e ON edge.id IS NULL OR (e.transaction_id, e.id) <= (edge.transaction_id, edge.id)
      ${WITH_NAMES} ORDER BY e.transaction_id, e.id`);
    const state = this.stateOf(rows);
    if (from !== undefined && !reaches(from, state)) throw cursorExpired();
    const events = rows.filter((row) => row.id !== null) as (StateRow & EdgeRow & EventView)[];
    const edge = rows[0] === undefined ? undefined : edgeOf(rows[0]);
    const last = events.length === limit ? events.at(-1) : edge;
    if (last !== undefined) {
      const { transactionId, id } = last;
      return { events, next: { epoch: state.epoch, transactionId, id }, more: true };
    }
    const end = events.at(-1);
    const next = end === undefined ? (from ?? state.end) : { epoch: state.epoch, ...afterTransaction(end) };
    return { events, next, more: false };
  }

  /** The place after everything that can be read now. */
  async now(): Promise<EventPosition> {
    return this.stateOf(await this.unitOfWork.query<StateRow>(this.state)).end;
  }

  /** Who has new events after a place, without reading them; and what is on its way. In another epoch that may be anybody. */
  async audienceSince(from: EventPosition, limit: number): Promise<NewEvents> {
    const rows = await this.unitOfWork.query<
      StateRow & Maybe<{ transactionId: string; id: string; audience: string[]; visible: boolean }>
    >(sql`
      WITH log AS MATERIALIZED (${this.state})
      SELECT log.*, e.* FROM log LEFT JOIN (
        SELECT transaction_id AS "transactionId", id, array_remove(ARRAY[sender_id, recipient_id, agent_id], NULL)::text[] AS audience,
          transaction_id < ${HORIZON} AS visible
        FROM events WHERE (transaction_id, id) > (${from.transactionId}::bigint, ${from.id}::uuid)
        ORDER BY transaction_id, id LIMIT ${limit}
      ) e ON true ORDER BY e."transactionId", e.id`);
    const state = this.stateOf(rows);
    if (state.epoch !== from.epoch) return { audience: 'everybody', early: [], next: state.end, more: false };
    const found = rows.filter((row) => row.id !== null) as {
      transactionId: string;
      id: string;
      audience: string[];
      visible: boolean;
    }[];
    const visible = found.filter((row) => row.visible);
    const last = visible.at(-1);
    const next = last === undefined ? from : { epoch: state.epoch, transactionId: last.transactionId, id: last.id };
    return {
      audience: [...new Set(visible.flatMap(({ audience }) => audience))],
      early: visible.length < found.length ? await this.endedCredentials() : [],
      next,
      more: found.length > 0 && (visible.length < found.length || found.length === limit),
    };
  }

  /** Committed, but above the horizon: by these a credential may have ended. */
  private endedCredentials(): Promise<NewEvents['early']> {
    return this.unitOfWork.query(sql`
      SELECT id, ARRAY[agent_id]::text[] AS audience FROM events
      WHERE transaction_id >= ${HORIZON} AND agent_id IS NOT NULL AND type = ANY(${[...CREDENTIAL_EVENT_TYPES]}::text[])
      LIMIT ${ENDED_CREDENTIALS}`);
  }

  /** @throws DatabaseAway while the log is somewhere else than where it was last compared, and not yet made ready there */
  private stateOf([row]: readonly StateRow[]): LogState {
    if (row === undefined) throw new Error('relay_state has no row.');
    if (!row.home) {
      this.home.settle().catch(() => undefined);
      throw new DatabaseAway('The event log was restored or moved, and is being made ready.');
    }
    const { epoch, removedThrough, horizon, lastTransaction } = row;
    return { epoch, removedThrough, horizon, end: { epoch, ...afterTransaction({ transactionId: lastTransaction }) } };
  }
}

/**
 * SQL: the state of the log, one row. Past a pooler every connection was compared when it was made; through one the same connection
 * may lead to another server at any time, so each read compares.
 */
function logState(pooled: boolean): Sql {
  const home = pooled
    ? sql`NOT pg_is_in_recovery() AND coalesce((SELECT system_identifier = ${CLUSTER} WHERE NOT pg_is_in_recovery()), false)`
    : sql`true`;
  return sql`
    SELECT epoch_id AS epoch, removed_through AS "removedThrough", ${HORIZON} AS horizon, ${home} AS home,
      greatest(removed_through, (
        SELECT transaction_id FROM events WHERE transaction_id < ${HORIZON} ORDER BY transaction_id DESC, id DESC LIMIT 1
      )) AS "lastTransaction"
    FROM relay_state`;
}

interface StateRow {
  epoch: string;
  removedThrough: string;
  horizon: string;
  home: boolean;
  lastTransaction: string;
}

/** The first place up to which one side was looked through, and not to its end. */
interface EdgeRow {
  edgeTransactionId: string | null;
  edgeId: string | null;
}

function edgeOf({ edgeTransactionId, edgeId }: EdgeRow): Omit<EventPosition, 'epoch'> | undefined {
  if (edgeTransactionId === null || edgeId === null) return undefined;
  return { transactionId: edgeTransactionId, id: edgeId };
}

/** Of an outer join. */
type Maybe<Row> = { [Key in keyof Row]: Row[Key] | null };

/** What a replica learns of the log in order to wake whoever waits. */
interface NewEvents {
  audience: string[] | 'everybody';
  /** Committed, but not yet to be read, because an older write is open: by them a credential may have ended. */
  early: { id: string; audience: string[] }[];
  next: EventPosition;
  /** Whether to look again soon. */
  more: boolean;
}

interface LogState {
  epoch: string;
  removedThrough: string;
  horizon: string;
  /** After the last event below the horizon. */
  end: EventPosition;
}

/** Only ids above that of a transaction that wrote an event are ever handed out again. */
function afterTransaction({ transactionId }: { transactionId: string }): Omit<EventPosition, 'epoch'> {
  return { transactionId: String(BigInt(transactionId) + 1n), id: BEFORE_ALL_IDS };
}

/** Whether everything after the place is still there. A place above all that is readable was given out by another log. */
function reaches(from: EventPosition, { epoch, removedThrough, horizon }: LogState): boolean {
  const transaction = BigInt(from.transactionId);
  return (
    from.epoch === epoch &&
    transaction <= BigInt(horizon) &&
    (removedThrough === '0' || transaction > BigInt(removedThrough))
  );
}

/** The columns of an event that make an agent a reader of it. */
const SIDES = [sql`sender_id`, sql`recipient_id`];

/** SQL: one index range of the log, in its order: the events after a place in which the agent is on that side. */
function range(side: Sql, agentId: string, from: Omit<EventPosition, 'epoch'>): Sql {
  return sql`
    SELECT e.* FROM events e
    WHERE e.${side} = ${agentId}::uuid AND (e.transaction_id, e.id) > (${from.transactionId}::bigint, ${from.id}::uuid)
      AND e.transaction_id < ${HORIZON}
    ORDER BY e.transaction_id, e.id`;
}

function wanted(looked: Sql, { agentId, types, includeOwn }: EventSelection, limit: number): Sql {
  return sql`(
    SELECT e.* FROM (${looked} LIMIT ${LOOKED_THROUGH}) e
    WHERE NOT EXISTS (SELECT FROM blocks b WHERE b.blocker_id = ${agentId}::uuid AND b.blocked_id = e.actor_id)
      ${includeOwn ? empty : sql`AND e.actor_id IS DISTINCT FROM ${agentId}::uuid`}
      ${types.length === 0 ? empty : sql`AND e.type = ANY(${[...types]}::text[])`}
    ORDER BY e.transaction_id, e.id LIMIT ${limit})`;
}

/** SQL: the last one that is looked at, where there are that many. */
function lastLookedAt(looked: Sql): Sql {
  return sql`(SELECT e.transaction_id, e.id FROM (${looked} LIMIT 1 OFFSET ${LOOKED_THROUGH - 1}) e)`;
}

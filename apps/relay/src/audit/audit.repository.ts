import { RelayError } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import sql, { empty, type Sql } from 'sql-template-tag';
import { UnitOfWork } from '../database';
import { EVENT_VIEW, type EventPosition, type EventType, type EventView, WITH_NAMES } from '../events';

export interface AuditFilter {
  /** Only events that this agent is part of or that concern it; undefined for the whole team. */
  agentId: string | undefined;
  since: Date | undefined;
  type: EventType | undefined;
  /** Handle of who acted. */
  actor: string | undefined;
}

export interface AuditedEvents {
  /** Newest first. */
  events: EventView[];
  /** Which life of the log their places belong to. */
  epoch: string;
}

/** The epoch in the cursors of versions before this one: of any life of the log. */
const OF_OLDER_VERSIONS = '0';

/** Reads the log backwards, newest first. */
@Injectable()
export class AuditRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** @throws RelayError cursor_expired when the log was renumbered since `before` was given out */
  async newest(filter: AuditFilter, before: EventPosition | undefined, limit: number): Promise<AuditedEvents> {
    const sources = filter.agentId === undefined ? [empty] : [sql`sender_id`, sql`recipient_id`, sql`agent_id`];
    const ranges = sources.map((column) => {
      const whose = column === empty ? sql`true` : sql`e.${column} = ${filter.agentId}::uuid`;
      return sql`(
        SELECT e.* FROM events e WHERE ${whose} ${conditions(filter, before)}
        ORDER BY e.transaction_id DESC, e.id DESC LIMIT ${limit})`;
    });
    const rows = await this.unitOfWork.query<{ epoch: string } & (EventView | { id: null })>(sql`
      SELECT log.epoch_id AS epoch, ${EVENT_VIEW}
      FROM relay_state log LEFT JOIN (${ranges.reduce((all, next) => sql`${all} UNION ALL ${next}`)}) e ON true
      ${WITH_NAMES}
      ORDER BY e.transaction_id DESC, e.id DESC LIMIT ${limit}`);
    const epoch = rows[0]?.epoch ?? OF_OLDER_VERSIONS;
    if (before !== undefined && before.epoch !== OF_OLDER_VERSIONS && before.epoch !== epoch) throw logMoved();
    return { events: rows.flatMap((row) => (row.id === null ? [] : row)), epoch };
  }
}

function logMoved(): RelayError {
  return new RelayError(
    'cursor_expired',
    'The event log was restored or moved since this cursor was given out; start again without it.',
    { field: 'cursor' },
  );
}

function conditions({ since, type, actor }: AuditFilter, before: EventPosition | undefined): Sql {
  return sql`
    ${since === undefined ? empty : sql`AND e.created_at >= ${since}::timestamptz`}
    ${type === undefined ? empty : sql`AND e.type = ${type}`}
    ${actor === undefined ? empty : sql`AND e.actor_id = (SELECT id FROM agents WHERE handle = ${actor})`}
    ${before === undefined ? empty : sql`AND (e.transaction_id, e.id) < (${before.transactionId}::bigint, ${before.id}::uuid)`}`;
}

import { Injectable } from '@nestjs/common';
import sql, { empty, type Sql } from 'sql-template-tag';
import { UnitOfWork } from '../database';
import { EVENT_VIEW, type EventType, type EventView, WITH_NAMES } from '../events';

export interface AuditFilter {
  /** Only events that this agent is part of or that concern it; undefined for the whole team. */
  agentId: string | undefined;
  since: Date | undefined;
  type: EventType | undefined;
  /** Handle of who acted. */
  actor: string | undefined;
}

/** The place of an event in the log, for reading backwards. */
export interface AuditPosition {
  transactionId: string;
  id: string;
}

/** Reads the log backwards, newest first. */
@Injectable()
export class AuditRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async newest(filter: AuditFilter, before: AuditPosition | undefined, limit: number): Promise<EventView[]> {
    const sources = filter.agentId === undefined ? [empty] : [sql`sender_id`, sql`recipient_id`, sql`agent_id`];
    const ranges = sources.map((column) => {
      const whose = column === empty ? sql`true` : sql`e.${column} = ${filter.agentId}::uuid`;
      return sql`(
        SELECT e.* FROM events e WHERE ${whose} ${conditions(filter, before)}
        ORDER BY e.transaction_id DESC, e.id DESC LIMIT ${limit})`;
    });
    return this.unitOfWork.query<EventView>(sql`
      SELECT ${EVENT_VIEW} FROM (${ranges.reduce((all, next) => sql`${all} UNION ALL ${next}`)}) e
      ${WITH_NAMES}
      ORDER BY e.transaction_id DESC, e.id DESC LIMIT ${limit}`);
  }
}

function conditions({ since, type, actor }: AuditFilter, before: AuditPosition | undefined): Sql {
  return sql`
    ${since === undefined ? empty : sql`AND e.created_at >= ${since}::timestamptz`}
    ${type === undefined ? empty : sql`AND e.type = ${type}`}
    ${actor === undefined ? empty : sql`AND e.actor_id = (SELECT id FROM agents WHERE handle = ${actor})`}
    ${before === undefined ? empty : sql`AND (e.transaction_id, e.id) < (${before.transactionId}::bigint, ${before.id}::uuid)`}`;
}

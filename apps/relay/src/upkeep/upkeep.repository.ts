import { Injectable } from '@nestjs/common';
import sql, { type Sql } from 'sql-template-tag';
import { UnitOfWork } from '../database';

/** Rows that one statement removes: small enough that none holds locks for long. */
const BATCH = 1_000;
const THREADS_BATCH = 50;
/** Threads are removed with their messages: a batch stops growing here. */
const MESSAGES_BATCH = 5_000;

/** Removes what has had its time, a batch a call. Replicas may do so at once: each skips what another holds. */
@Injectable()
export class UpkeepRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  removeExpiredIdempotencyRecords(): Promise<boolean> {
    return this.remove(
      BATCH,
      sql`
      DELETE FROM idempotency_records WHERE (scope, command, key) IN (
        SELECT scope, command, key FROM idempotency_records WHERE expires_at <= now()
        ORDER BY expires_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
      RETURNING 1`,
    );
  }

  /** Invites stay a while after their end, so that lists explain what became of them. */
  removeOldInvites(): Promise<boolean> {
    return this.remove(
      BATCH,
      sql`
      DELETE FROM invites WHERE jti IN (
        SELECT jti FROM invites WHERE expires_at < now() - interval '30 days'
        ORDER BY expires_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
      RETURNING 1`,
    );
  }

  /** Removes from the start of the log, and notes how far: cursors from before are void. */
  removeOldEvents(days: number): Promise<boolean> {
    return this.remove(
      BATCH,
      sql`
      WITH oldest AS (
        SELECT transaction_id, id, created_at FROM events ORDER BY transaction_id, id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
      ), gone AS (
        DELETE FROM events e USING oldest o
        WHERE (e.transaction_id, e.id) = (o.transaction_id, o.id) AND o.created_at < now() - make_interval(days => ${days})
        RETURNING e.transaction_id
      ), noted AS (
        UPDATE relay_state SET removed_through = greatest(removed_through, (SELECT max(transaction_id) FROM gone))
        WHERE EXISTS (SELECT FROM gone)
      )
      SELECT 1 FROM gone`,
    );
  }

  removeOldThreads(days: number): Promise<boolean> {
    return this.remove(
      1,
      sql`
      WITH ended AS MATERIALIZED (
        SELECT id, message_count FROM handoffs
        WHERE status IN ('completed', 'cancelled') AND updated_at < now() - make_interval(days => ${days})
        ORDER BY updated_at LIMIT ${THREADS_BATCH} FOR UPDATE SKIP LOCKED
      ), picked AS (
        SELECT id FROM (SELECT id, sum(message_count) OVER (ORDER BY id) - message_count AS before FROM ended) e
        WHERE before < ${MESSAGES_BATCH}
      ), said AS (
        DELETE FROM messages WHERE handoff_id IN (SELECT id FROM picked)
      ), positions AS (
        DELETE FROM read_positions WHERE handoff_id IN (SELECT id FROM picked)
      )
      DELETE FROM handoffs WHERE id IN (SELECT id FROM picked) RETURNING 1`,
    );
  }

  /** Runs one batch; true when there may be another. */
  private async remove(full: number, statement: Sql): Promise<boolean> {
    const removed = await this.unitOfWork.query(statement);
    return removed.length >= full;
  }
}

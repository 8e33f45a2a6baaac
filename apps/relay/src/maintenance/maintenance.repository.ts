import { Injectable } from '@nestjs/common';
import sql, { type Sql } from 'sql-template-tag';
import { UnitOfWork } from '../database';

/** Rows that one statement removes: small enough that none holds locks for long. */
const BATCH = 1_000;
const THREADS_BATCH = 50;
/** Threads are removed with their messages: a batch stops growing here. */
const MESSAGES_BATCH = 5_000;

/** A subscriber that retention has passed, and how many events it has missed in all. */
export interface VoidedPlace {
  name: string;
  missed: number;
}

/** Removes what has had its time, a batch a call. Replicas may do so at once: each skips what another holds. */
@Injectable()
export class MaintenanceRepository {
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

  /**
   * Removes from the start of the log, and notes how far: cursors from before are void. What a subscriber has not read stays until it
   * is `unreadDays` old (0: for good); then the place moves to the edge, and what it missed is counted.
   */
  async removeOldEvents(days: number, unreadDays: number): Promise<{ more: boolean; voided: VoidedPlace[] }> {
    const expired =
      unreadDays === 0 ? sql`false` : sql`o.created_at < now() - make_interval(days => ${Math.max(days, unreadDays)})`;
    const [row] = await this.unitOfWork.query<{ removed: number; voided: VoidedPlace[] }>(sql`
      WITH oldest AS MATERIALIZED (
        SELECT transaction_id, id, created_at FROM events ORDER BY transaction_id, id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
      ), gone AS MATERIALIZED (
        DELETE FROM events e USING oldest o
        WHERE (e.transaction_id, e.id) = (o.transaction_id, o.id) AND o.created_at < now() - make_interval(days => ${days})
          AND (${expired} OR NOT EXISTS (
            SELECT FROM event_subscribers s WHERE (s.transaction_id, s.event_id) < (o.transaction_id, o.id)))
        RETURNING e.transaction_id, e.id
      ), edge AS (
        SELECT transaction_id, id FROM gone ORDER BY transaction_id DESC, id DESC LIMIT 1
      ), noted AS (
        -- 0 says that nothing was removed.
        UPDATE relay_state r SET removed_through = CASE
          WHEN r.removed_through <> 0 AND r.removed_through > e.transaction_id THEN r.removed_through
          WHEN e.transaction_id = 0 THEN 1 ELSE e.transaction_id END
        FROM edge e
      ), voided AS (
        UPDATE event_subscribers s SET transaction_id = e.transaction_id, event_id = e.id, voided_at = now(),
          missed_events = s.missed_events + (SELECT count(*) FROM gone g WHERE (g.transaction_id, g.id) > (s.transaction_id, s.event_id))
        FROM edge e WHERE (s.transaction_id, s.event_id) < (e.transaction_id, e.id)
        RETURNING s.name, s.missed_events
      )
      SELECT (SELECT count(*) FROM gone)::integer AS removed,
        (SELECT coalesce(json_agg(json_build_object('name', name, 'missed', missed_events)), '[]') FROM voided) AS voided`);
    return { more: (row?.removed ?? 0) >= BATCH, voided: row?.voided ?? [] };
  }

  /** Two statements: the second sees what readers had written until the first held the threads. */
  removeOldThreads(days: number): Promise<boolean> {
    return this.unitOfWork.run(
      async (transaction) => {
        const ended = await transaction.query<{ id: string; before: string }>(sql`
          WITH ended AS MATERIALIZED (
            SELECT id, message_count FROM handoffs
            WHERE status IN ('completed', 'cancelled') AND updated_at < now() - make_interval(days => ${days})
            ORDER BY updated_at LIMIT ${THREADS_BATCH} FOR UPDATE SKIP LOCKED
          )
          SELECT id, before FROM (SELECT id, sum(message_count) OVER (ORDER BY id) - message_count AS before FROM ended) e
          WHERE before < ${MESSAGES_BATCH}`);
        if (ended.length === 0) return false;
        const picked = sql`ANY(${ended.map(({ id }) => id)}::uuid[])`;
        await transaction.query(sql`
          WITH said AS (
            DELETE FROM messages WHERE handoff_id = ${picked}
          ), positions AS (
            DELETE FROM read_positions WHERE handoff_id = ${picked}
          )
          DELETE FROM handoffs WHERE id = ${picked}`);
        return true;
      },
      () => false,
    );
  }

  /** Runs one batch; true when there may be another. */
  private async remove(full: number, statement: Sql): Promise<boolean> {
    const removed = await this.unitOfWork.query(statement);
    return removed.length >= full;
  }
}

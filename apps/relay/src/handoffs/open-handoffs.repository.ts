import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { type Transaction, UnitOfWork } from '../database';

/** What a sender reads when the one who had accepted its work has left. */
const LEFT = 'The recipient has left the team before finishing this. Hand it to somebody else.';

/** Handoffs at one time: bounds how long a transaction holds locks. */
export const GIVE_BACK_BATCH = 50;

/** The open work of a recipient who has left. */
@Injectable()
export class OpenHandoffsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * As `system`, cancels pending and completes accepted handoffs to this recipient (outcome failed, with a result that says why),
   * each with its event; one batch. Returns how many there were: none while
   * the recipient is active.
   */
  async giveBack(transaction: Transaction, recipientId: string, requestId: string): Promise<number> {
    // Enabling waits for this; once it has happened, nothing more is given back.
    const left = await transaction.query(sql`
      SELECT FROM agents WHERE id = ${recipientId}::uuid AND status = 'disabled' FOR SHARE`);
    if (left.length === 0) return 0;
    const ids = Array.from({ length: GIVE_BACK_BATCH }, () => [uuidv7(), uuidv7()] as const);
    const changed = await transaction.query(sql`
      WITH picked AS MATERIALIZED (
        SELECT h.id, h.status, row_number() OVER () AS place FROM (
          SELECT id, status FROM handoffs
          WHERE recipient_id = ${recipientId}::uuid AND status IN ('pending', 'accepted')
          ORDER BY id LIMIT ${GIVE_BACK_BATCH} FOR UPDATE) h
      ), fresh AS (
        SELECT * FROM unnest(${ids.map(([message]) => message)}::uuid[], ${ids.map(([, event]) => event)}::uuid[])
          WITH ORDINALITY AS fresh (message_id, event_id, place)
      ), fact AS MATERIALIZED (
        SELECT p.id, p.status = 'accepted' AS accepted, f.message_id, f.event_id, clock_timestamp()::timestamptz(3) AS at
        FROM picked p JOIN fresh f USING (place)
      ), changed AS (
        UPDATE handoffs h SET
          status = CASE WHEN f.accepted THEN 'completed' ELSE 'cancelled' END,
          outcome = CASE WHEN f.accepted THEN 'failed' END,
          completed_at = CASE WHEN f.accepted THEN f.at END,
          cancelled_at = CASE WHEN f.accepted THEN NULL ELSE f.at END,
          thread_bytes = h.thread_bytes + CASE WHEN f.accepted THEN message_bytes(${LEFT}, '{}', '[]') ELSE 0 END,
          message_count = h.message_count + f.accepted::integer, version = h.version + 1, updated_at = greatest(f.at, h.updated_at)
        FROM fact f WHERE h.id = f.id
        RETURNING h.id, h.sender_id, h.recipient_id, h.version, h.message_count AS sequence_no, h.updated_at, f.accepted,
          f.message_id, f.event_id
      ), result AS (
        INSERT INTO messages (handoff_id, sequence_no, id, author_id, kind, body, payload, artifacts, created_at, bytes)
        SELECT id, sequence_no, message_id, NULL, 'result', ${LEFT}, '{}', '[]', updated_at,
          message_bytes(${LEFT}, '{}', '[]') FROM changed WHERE accepted
      ), event AS (
        INSERT INTO events (transaction_id, id, type, actor_kind, handoff_id, sender_id, recipient_id, payload, request_id, created_at)
        SELECT pg_current_xact_id()::text::bigint, event_id,
          CASE WHEN accepted THEN 'handoff.completed' ELSE 'handoff.cancelled' END, 'system', id, sender_id, recipient_id,
          json_build_object('version', version, 'sequence_no', sequence_no), ${requestId}, updated_at FROM changed
      )
      SELECT id FROM changed`);
    return changed.length;
  }

  /** Disabled agents that still have open work: a process died while it was being given back. */
  async abandoned(limit: number): Promise<string[]> {
    const rows = await this.unitOfWork.query<{ id: string }>(sql`
      SELECT a.id FROM agents a WHERE a.status = 'disabled' AND EXISTS (
        SELECT FROM handoffs h WHERE h.recipient_id = a.id AND h.status IN ('pending', 'accepted'))
      ORDER BY a.id LIMIT ${limit}`);
    return rows.map(({ id }) => id);
  }
}

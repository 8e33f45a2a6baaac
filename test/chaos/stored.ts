import { Pool } from 'pg';
import { type Impossibility, impossibilities } from '../model/impossibilities';
import type { Stored, StoredEvent, StoredHandoff, StoredMessage } from './checker';

/** Reads the database as it is after the run, past the relay. */
export async function readStored(url: string): Promise<{
  stored: Stored;
  impossible: Impossibility[];
  /** Events that the subscriber was told of. */
  signals: number;
  /** Events that retention removed. */
  removed: number;
  /** How often the epoch was raised, and one. */
  epoch: number;
}> {
  const pool = new Pool({ connectionString: url, max: 1 });
  const query = async <Row extends object>(text: string): Promise<Row[]> => (await pool.query<Row>(text)).rows;
  // Retention leaves threads without their first events; the copy has them all.
  const ofAllEvents = <Row extends object>(text: string): Promise<Row[]> =>
    query<Row>(text.replaceAll('FROM events', 'FROM chaos_log'));
  try {
    const handoffs = await query<StoredHandoff>(
      `SELECT h.id, h.status, accepted_session_id AS session, message_count AS "messageCount", s.handle AS sender,
        r.handle AS recipient, (extract(epoch FROM h.updated_at) * 1000)::double precision AS "movedAt"
      FROM handoffs h JOIN agents s ON s.id = h.sender_id JOIN agents r ON r.id = h.recipient_id`,
    );
    const messages = await query<StoredMessage>(
      'SELECT handoff_id AS task, sequence_no AS sequence, id, body FROM messages ORDER BY handoff_id, sequence_no',
    );
    const events = await query<StoredEvent>(`
      SELECT e.id, coalesce(a.handle, 'system') AS actor, s.handle AS sender, r.handle AS recipient,
        (extract(epoch FROM e.removed_at) * 1000)::double precision AS "removedAt"
      FROM chaos_log e LEFT JOIN agents a ON a.id = e.actor_id JOIN agents s ON s.id = e.sender_id JOIN agents r ON r.id = e.recipient_id
      ORDER BY e.timeline, e.transaction_id, e.id`);
    const unsignalled = await query<Impossibility>(`
      SELECT 'signal told ' || coalesce(s.times, 0) || ' times by ' || n.subscriber AS what, e.handoff_id AS id
      FROM chaos_log e CROSS JOIN (VALUES ('chaos-signals'), ('chaos-laggard')) n (subscriber)
        LEFT JOIN chaos_signals s ON (s.subscriber, s.event_id) = (n.subscriber, e.id)
      WHERE e.handoff_id IS NOT NULL AND s.times IS DISTINCT FROM 1`);
    const [told] = await query<{ signals: number }>('SELECT count(*)::integer AS signals FROM chaos_signals');
    const [maintenance] = await query<{ removed: number; epoch: number }>(`
      SELECT count(removed_at)::integer AS removed, (SELECT epoch FROM relay_state) AS epoch FROM chaos_log`);
    return {
      removed: maintenance?.removed ?? 0,
      epoch: maintenance?.epoch ?? 0,
      signals: told?.signals ?? 0,
      stored: { handoffs, messages, events },
      impossible: [...(await impossibilities({ query: ofAllEvents })), ...unsignalled],
    };
  } finally {
    await pool.end();
  }
}

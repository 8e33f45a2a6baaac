import { Pool } from 'pg';
import { type Impossibility, impossibilities } from '../model/impossibilities';
import type { Stored, StoredEvent, StoredHandoff, StoredMessage } from './checker';

/** Reads the database as it is after the run, past the relay. */
export async function readStored(url: string): Promise<{
  stored: Stored;
  impossible: Impossibility[];
  /** Events that the subscriber was told of. */
  signals: number;
}> {
  const pool = new Pool({ connectionString: url, max: 1 });
  const query = async <Row extends object>(text: string): Promise<Row[]> => (await pool.query<Row>(text)).rows;
  try {
    const handoffs = await query<StoredHandoff>(
      'SELECT id, status, accepted_session_id AS session, message_count AS "messageCount" FROM handoffs',
    );
    const messages = await query<StoredMessage>(
      'SELECT handoff_id AS task, sequence_no AS sequence, id, body FROM messages ORDER BY handoff_id, sequence_no',
    );
    const events = await query<StoredEvent>(`
      SELECT e.id, a.handle AS actor, s.handle AS sender, r.handle AS recipient
      FROM events e JOIN agents a ON a.id = e.actor_id JOIN agents s ON s.id = e.sender_id JOIN agents r ON r.id = e.recipient_id
      ORDER BY e.transaction_id, e.id`);
    const unsignalled = await query<Impossibility>(`
      SELECT 'signal told ' || coalesce(s.times, 0) || ' times' AS what, e.handoff_id AS id
      FROM events e LEFT JOIN chaos_signals s ON s.event_id = e.id WHERE e.handoff_id IS NOT NULL AND s.times IS DISTINCT FROM 1`);
    const [told] = await query<{ signals: number }>('SELECT count(*)::integer AS signals FROM chaos_signals');
    return {
      signals: told?.signals ?? 0,
      stored: { handoffs, messages, events },
      impossible: [...(await impossibilities({ query })), ...unsignalled],
    };
  } finally {
    await pool.end();
  }
}

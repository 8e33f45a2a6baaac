import type { TestDatabase } from '../../libs/testing/src/test-database';

export interface Impossibility {
  what: string;
  /** The thread that shows it. */
  id: string;
}

/** What no history may leave behind, whatever the model says. */
export function impossibilities(database: Pick<TestDatabase, 'query'>): Promise<Impossibility[]> {
  return database.query<Impossibility>(`
    SELECT 'gap' AS what, handoff_id AS id FROM messages
      GROUP BY handoff_id HAVING min(sequence_no) <> 1 OR max(sequence_no) <> count(*)
    UNION ALL SELECT 'time', id FROM handoffs
      WHERE created_at > updated_at OR accepted_at < created_at OR completed_at < accepted_at OR cancelled_at < created_at
    UNION ALL SELECT 'time of messages', handoff_id FROM (
      SELECT handoff_id, created_at < lag(created_at) OVER (PARTITION BY handoff_id ORDER BY sequence_no) AS back FROM messages) m WHERE back
    UNION ALL SELECT 'activity', h.id FROM handoffs h
      WHERE h.updated_at <> (SELECT greatest(max(m.created_at), h.accepted_at, h.cancelled_at) FROM messages m WHERE m.handoff_id = h.id)
    UNION ALL SELECT 'events', h.id FROM handoffs h
      WHERE (SELECT count(*) FROM events e WHERE e.handoff_id = h.id AND e.sender_id = h.sender_id AND e.recipient_id = h.recipient_id)
        <> h.message_count + (h.accepted_at IS NOT NULL)::integer + (h.cancelled_at IS NOT NULL)::integer
    UNION ALL SELECT 'bytes', h.id FROM handoffs h
      WHERE h.thread_bytes <> (SELECT sum(message_bytes(m.body, m.payload, m.artifacts)) FROM messages m WHERE m.handoff_id = h.id)`);
}

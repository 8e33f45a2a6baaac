import sql, { type Sql } from 'sql-template-tag';

/** SQL: a participant of the joined agents row `alias`. */
export function participantJson(alias: 's' | 'r'): Sql {
  const agent = { s: sql`s`, r: sql`r` }[alias];
  return sql`json_build_object('agentId', ${agent}.id, 'handle', ${agent}.handle, 'name', ${agent}.display_name, 'role', ${agent}.role)`;
}

/** SQL: how many messages of the handoff `h` others than this agent wrote. */
export function othersCount(agentId: string): Sql {
  return sql`h.message_count - CASE WHEN h.sender_id = ${agentId}::uuid THEN h.sender_message_count ELSE h.recipient_message_count END`;
}

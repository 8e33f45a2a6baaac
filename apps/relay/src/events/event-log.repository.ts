import { Injectable } from '@nestjs/common';
import sql, { type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { Transaction } from '../database';
import type { Identity, CommandContext } from '../identity';
import type { AgentEventType, ThreadEventType } from './event-types';

/** What orders the log: the writer's transaction, so that a late commit can be told from an early one. */
const THIS_TRANSACTION = sql`pg_current_xact_id()::text::bigint`;

/** Writes the log. Every command that changes something appends one event in its own transaction. */
@Injectable()
export class EventLogRepository {
  /**
   * The INSERT of a thread's event, as a member of the statement that makes the change: `changed` is the CTE
   * that yields the handoff's `id`, `sender_id`, `recipient_id` and `updated_at`, and yields nothing when
   * nothing changed. `payload` is a JSON expression over it.
   */
  appendFrom(changed: Sql, type: ThreadEventType, payload: Sql, context: CommandContext<Identity>): Sql {
    const { kind, id, name } = actorOf(context.by);
    return sql`
      INSERT INTO events (transaction_id, id, type, actor_kind, actor_id, actor_name, handoff_id, sender_id, recipient_id, payload, request_id, created_at)
      SELECT ${THIS_TRANSACTION}, ${uuidv7()}::uuid, ${type}, ${kind}, ${id}::uuid, ${name}::text, id, sender_id, recipient_id, ${payload}, ${context.requestId}, updated_at
      FROM ${changed}`;
  }

  /** Appends an event that concerns one agent. `payload` holds ids and small facts, never text of a message. */
  async append(
    transaction: Transaction,
    type: AgentEventType,
    agentId: string,
    payload: Record<string, unknown>,
    context: CommandContext<Identity>,
  ): Promise<void> {
    const { kind, id, name } = actorOf(context.by);
    await transaction.query(sql`
      INSERT INTO events (transaction_id, id, type, actor_kind, actor_id, actor_name, agent_id, payload, request_id, created_at)
      VALUES (${THIS_TRANSACTION}, ${uuidv7()}::uuid, ${type}, ${kind}, ${id}::uuid, ${name}::text, ${agentId}::uuid, ${JSON.stringify(payload)}::json,
        ${context.requestId}, clock_timestamp())`);
  }
}

function actorOf(by: Identity): { kind: string; id: string | null; name: string | null } {
  return by.kind === 'caller'
    ? { kind: by.principal, id: by.agentId, name: null }
    : { kind: 'admin', id: null, name: by.name };
}

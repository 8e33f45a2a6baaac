import type { HandoffState, Intent, Outcome } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { BlocksRepository } from '../agents';
import type { Transaction } from '../database';
import type { Caller } from '../identity';
import { linkTo } from '../tracing';
import type { LockedHandoff } from './locked-handoff';
import { participantJson } from './participant.sql';

export interface LockedRecipient {
  id: string;
  handle: string;
  active: boolean;
  counterpartBlocks: boolean;
  callerBlocks: boolean;
}

/**
 * The first statement of every write: agents first, by id, then the handoff, so that writers never wait in a circle. The agents
 * are shared with other writes, and kept from blocking and disabling meanwhile.
 */
@Injectable()
export class HandoffLocksRepository {
  constructor(private readonly blocks: BlocksRepository) {}

  /** Locks sender and recipient against blocking and disabling; undefined when nobody has that handle. */
  async lockRecipient(transaction: Transaction, sender: Caller, handle: string): Promise<LockedRecipient | undefined> {
    const rows = await transaction.query<LockedRecipient>(sql`
      SELECT a.id, a.handle, a.status = 'active' AS active,
        ${this.blocks.stands(sql`a.id`, sql`${sender.agentId}::uuid`)} AS "counterpartBlocks",
        ${this.blocks.stands(sql`${sender.agentId}::uuid`, sql`a.id`)} AS "callerBlocks"
      FROM agents a WHERE a.id = ${sender.agentId} OR a.handle = ${handle} ORDER BY a.id FOR SHARE OF a`);
    return rows.find((row) => row.handle === handle);
  }

  /** Locks a handoff for a change by one of its participants; undefined for everybody else. */
  async lock(transaction: Transaction, id: string, caller: Caller): Promise<LockedHandoff | undefined> {
    const [row] = await transaction.query<LockedRow>(sql`
      WITH locked_agents AS MATERIALIZED (
        SELECT a.id, a.handle, a.display_name, a.role, a.status FROM handoffs h JOIN agents a ON a.id IN (h.sender_id, h.recipient_id)
        WHERE h.id = ${id}::uuid AND ${caller.agentId}::uuid IN (h.sender_id, h.recipient_id)
        ORDER BY a.id FOR SHARE OF a
      )
      SELECT h.id, h.status, h.intent, h.version, h.message_count, h.outcome, h.accepted_session_id, h.accepted_version, h.accepted_at, h.traceparent,
        ${participantJson('s')} AS sender, ${participantJson('r')} AS recipient,
        s.status = 'active' AS sender_active, r.status = 'active' AS recipient_active,
        ${this.blocks.stands(sql`h.sender_id`, sql`h.recipient_id`)} AS sender_blocks,
        ${this.blocks.stands(sql`h.recipient_id`, sql`h.sender_id`)} AS recipient_blocks
      FROM handoffs h JOIN locked_agents s ON s.id = h.sender_id JOIN locked_agents r ON r.id = h.recipient_id
      WHERE h.id = ${id}::uuid
      FOR NO KEY UPDATE OF h`);
    if (row === undefined) return undefined;
    linkTo(row.traceparent);
    return seenBy(row, caller);
  }
}

interface LockedRow {
  id: string;
  status: HandoffState;
  intent: Intent;
  version: number;
  message_count: number;
  outcome: Outcome | null;
  accepted_session_id: string | null;
  accepted_version: number | null;
  accepted_at: Date | null;
  traceparent: string | null;
  sender: LockedHandoff['sender'];
  recipient: LockedHandoff['recipient'];
  sender_active: boolean;
  recipient_active: boolean;
  sender_blocks: boolean;
  recipient_blocks: boolean;
}

function seenBy(row: LockedRow, caller: Caller): LockedHandoff {
  const isSender = row.sender.agentId === caller.agentId;
  return {
    id: row.id,
    status: row.status,
    intent: row.intent,
    version: row.version,
    messageCount: row.message_count,
    outcome: row.outcome,
    acceptedSessionId: row.accepted_session_id,
    acceptedVersion: row.accepted_version,
    acceptedAt: row.accepted_at,
    sender: row.sender,
    recipient: row.recipient,
    side: isSender ? 'sender' : 'recipient',
    counterpart: isSender
      ? { ...row.recipient, active: row.recipient_active }
      : { ...row.sender, active: row.sender_active },
    blocks: isSender
      ? { counterpartBlocks: row.recipient_blocks, callerBlocks: row.sender_blocks }
      : { counterpartBlocks: row.sender_blocks, callerBlocks: row.recipient_blocks },
  };
}

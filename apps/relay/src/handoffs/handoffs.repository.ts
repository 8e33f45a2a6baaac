import {
  type HandoffState,
  type Intent,
  LIMITS,
  type Outcome,
  preview,
  type WireProposedAction,
} from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import sql, { empty, type Sql } from 'sql-template-tag';
import { BlocksRepository } from '../agents';
import type { Transaction } from '../database';
import { EventLogRepository, type ThreadEventType } from '../events';
import { type Claim, IdempotencyRepository, KeyAlreadyClaimed } from '../idempotency';
import type { Caller, Invocation } from '../identity';
import { MessagesRepository, type NewMessage } from '../messages';
import type { LockedHandoff } from './locked-handoff';

export interface NewHandoff {
  id: string;
  recipientId: string;
  intent: Intent;
  proposedAction: WireProposedAction | null;
  metadata: Record<string, unknown>;
  summary: NewMessage;
}

export interface LockedRecipient {
  id: string;
  handle: string;
  active: boolean;
  counterpartBlocks: boolean;
  callerBlocks: boolean;
}

/** The row of a handoff after a change. */
export interface ChangedHandoff {
  id: string;
  status: HandoffState;
  outcome: Outcome | null;
  version: number;
  sequence_no: number;
  updated_at: Date;
  accepted_at: Date | null;
  completed_at: Date | null;
  cancelled_at: Date | null;
}

/** What a change wants to be, beside the handoff it is made to. */
interface Change {
  handoff: LockedHandoff;
  event: ThreadEventType;
  /** Assignments of the UPDATE; `fact` yields the new version, sequence number and time. */
  set: Sql;
  message?: NewMessage;
  /** Whether a block between the participants refuses it. */
  refusedByBlock: boolean;
  /** Whether it counts as a transition. */
  movesVersion: boolean;
  claim: Claim | undefined;
  invocation: Invocation;
}

export type ChangeResult = ChangedHandoff | 'blocked' | 'lost';

/**
 * Writes handoffs. Each write is two statements inside its transaction: one that locks (agents first, by id, then the
 * handoff, so that writers never wait in a circle) and one writable CTE that does everything, on a fresh snapshot.
 */
@Injectable()
export class HandoffsRepository {
  constructor(
    private readonly blocks: BlocksRepository,
    private readonly idempotency: IdempotencyRepository,
    private readonly messages: MessagesRepository,
    private readonly events: EventLogRepository,
  ) {}

  /** Locks sender and recipient against blocking and disabling; undefined when nobody has that handle. */
  async lockRecipient(transaction: Transaction, sender: Caller, handle: string): Promise<LockedRecipient | undefined> {
    const rows = await transaction.query<LockedRecipient>(sql`
      SELECT a.id, a.handle, a.status = 'active' AS active,
        ${this.blocks.stands(sql`a.id`, sql`${sender.agentId}::uuid`)} AS "counterpartBlocks",
        ${this.blocks.stands(sql`${sender.agentId}::uuid`, sql`a.id`)} AS "callerBlocks"
      FROM agents a WHERE a.id = ${sender.agentId} OR a.handle = ${handle} ORDER BY a.id FOR SHARE OF a`);
    return rows.find((row) => row.handle === handle);
  }

  /** Stores a handoff with its summary, event and idempotency record; all of it or nothing. */
  async insert(
    transaction: Transaction,
    handoff: NewHandoff,
    claim: Claim | undefined,
    invocation: Invocation,
  ): Promise<Date | 'blocked'> {
    const senderId = invocation.by.agentId;
    const { summary } = handoff;
    const [row] = await transaction.query<{ permitted: boolean; created_at: Date | null }>(sql`
      WITH fact AS MATERIALIZED (
        SELECT ${handoff.id}::uuid AS handoff_id, 1 AS version, 1 AS sequence_no, clock_timestamp()::timestamptz(3) AS at
        WHERE ${this.blocks.noneBetween(sql`${senderId}::uuid`, sql`${handoff.recipientId}::uuid`)}
      ), claim AS (
        ${this.idempotency.claimFrom(sql`fact`, claim)}
      ), created AS (
        INSERT INTO handoffs (id, sender_id, recipient_id, intent, summary_preview, artifact_count, proposed_action, metadata,
          created_at, updated_at)
        SELECT handoff_id, ${senderId}::uuid, ${handoff.recipientId}::uuid, ${handoff.intent},
          ${preview(summary.body, LIMITS.summaryPreview)}, ${summary.artifacts.length}::integer,
          ${handoff.proposedAction === null ? null : JSON.stringify(handoff.proposedAction)}::json,
          ${JSON.stringify(handoff.metadata)}::json, at, at
        FROM fact, claim
        RETURNING id, sender_id, recipient_id, 1 AS sequence_no, created_at, updated_at
      ), message AS (
        ${this.messages.insertFrom(sql`created`, summary)}
      ), event AS (
        ${this.events.appendFrom(sql`created`, 'handoff.created', sql`json_build_object('intent', ${handoff.intent}::text)`, invocation)}
      )
      SELECT EXISTS (SELECT FROM fact) AS permitted, (SELECT created_at FROM created) AS created_at`);
    if (row?.created_at) return row.created_at;
    if (row?.permitted === false) return 'blocked';
    throw new KeyAlreadyClaimed();
  }

  /** Locks a handoff for a change by one of its participants; undefined for everybody else. */
  async lock(transaction: Transaction, id: string, caller: Caller): Promise<LockedHandoff | undefined> {
    const [row] = await transaction.query<LockedRow>(sql`
      WITH locked_agents AS MATERIALIZED (
        SELECT a.id FROM handoffs h JOIN agents a ON a.id IN (h.sender_id, h.recipient_id)
        WHERE h.id = ${id}::uuid AND ${caller.agentId}::uuid IN (h.sender_id, h.recipient_id)
        ORDER BY a.id FOR SHARE OF a
      )
      SELECT h.id, h.status, h.intent, h.version, h.message_count, h.outcome, h.accepted_session_id, h.accepted_version, h.accepted_at,
        ${participantJson('s')} AS sender, ${participantJson('r')} AS recipient,
        s.status = 'active' AS sender_active, r.status = 'active' AS recipient_active,
        ${this.blocks.stands(sql`h.sender_id`, sql`h.recipient_id`)} AS sender_blocks,
        ${this.blocks.stands(sql`h.recipient_id`, sql`h.sender_id`)} AS recipient_blocks
      FROM handoffs h JOIN agents s ON s.id = h.sender_id JOIN agents r ON r.id = h.recipient_id
      WHERE h.id = ${id}::uuid AND (SELECT count(*) FROM locked_agents) = 2
      FOR UPDATE OF h`);
    return row === undefined ? undefined : seenBy(row, caller);
  }

  accept(
    transaction: Transaction,
    handoff: LockedHandoff,
    sessionId: string | undefined,
    claim: Claim | undefined,
    invocation: Invocation,
  ): Promise<ChangeResult> {
    return this.change(transaction, {
      handoff,
      event: 'handoff.accepted',
      set: sql`status = 'accepted', accepted_at = fact.at, accepted_version = fact.version, accepted_session_id = ${sessionId ?? null}`,
      refusedByBlock: true,
      movesVersion: true,
      claim,
      invocation,
    });
  }

  complete(
    transaction: Transaction,
    handoff: LockedHandoff,
    outcome: Outcome,
    result: NewMessage,
    claim: Claim | undefined,
    invocation: Invocation,
  ): Promise<ChangeResult> {
    return this.change(transaction, {
      handoff,
      event: 'handoff.completed',
      set: sql`status = 'completed', completed_at = fact.at, outcome = ${outcome}`,
      message: result,
      refusedByBlock: false,
      movesVersion: true,
      claim,
      invocation,
    });
  }

  cancel(
    transaction: Transaction,
    handoff: LockedHandoff,
    claim: Claim | undefined,
    invocation: Invocation,
  ): Promise<ChangeResult> {
    return this.change(transaction, {
      handoff,
      event: 'handoff.cancelled',
      set: sql`status = 'cancelled', cancelled_at = fact.at`,
      refusedByBlock: false,
      movesVersion: true,
      claim,
      invocation,
    });
  }

  append(
    transaction: Transaction,
    handoff: LockedHandoff,
    message: NewMessage,
    claim: Claim | undefined,
    invocation: Invocation,
  ): Promise<ChangeResult> {
    return this.change(transaction, {
      handoff,
      event: message.kind === 'draft' ? 'draft.appended' : 'message.appended',
      set: empty,
      message,
      refusedByBlock: true,
      movesVersion: false,
      claim,
      invocation,
    });
  }

  /** The id of a message, for rebuilding the answer that its append gave. */
  async messageId(transaction: Transaction, handoffId: string, sequenceNo: number): Promise<string | undefined> {
    const [row] = await transaction.query<{ id: string }>(sql`
      SELECT id FROM messages WHERE handoff_id = ${handoffId}::uuid AND sequence_no = ${sequenceNo}`);
    return row?.id;
  }

  /** The conditional update: it takes effect only in the state, version and length that the decision was made on. */
  private async change(transaction: Transaction, change: Change): Promise<ChangeResult> {
    const { handoff, message, claim, invocation } = change;
    const permitted = change.refusedByBlock
      ? this.blocks.noneBetween(sql`h.sender_id`, sql`h.recipient_id`)
      : sql`true`;
    const authored = handoff.side === 'sender' ? sql`sender_message_count` : sql`recipient_message_count`;
    const assignments = [
      sql`version = fact.version, updated_at = fact.at`,
      ...(change.set === empty ? [] : [change.set]),
      ...(message === undefined ? [] : [sql`message_count = fact.sequence_no, ${authored} = h.${authored} + 1`]),
    ].reduce((all, next) => sql`${all}, ${next}`);
    const [row] = await transaction.query<ChangeRow>(sql`
      WITH fact AS MATERIALIZED (
        SELECT h.id AS handoff_id, h.version + ${change.movesVersion ? 1 : 0}::integer AS version,
          h.message_count + ${message === undefined ? 0 : 1}::integer AS sequence_no,
          greatest(clock_timestamp()::timestamptz(3), h.updated_at) AS at
        FROM handoffs h WHERE h.id = ${handoff.id}::uuid AND ${permitted}
      ), claim AS (
        ${this.idempotency.claimFrom(sql`fact`, claim)}
      ), changed AS (
        UPDATE handoffs h SET ${assignments}
        FROM fact, claim
        WHERE h.id = fact.handoff_id AND h.status = ${handoff.status} AND h.version = ${handoff.version}
          AND h.message_count = ${handoff.messageCount}
        RETURNING h.id, h.sender_id, h.recipient_id, h.status, h.outcome, h.version, fact.sequence_no, h.updated_at,
          h.accepted_at, h.completed_at, h.cancelled_at
      ), message AS (
        ${message === undefined ? sql`SELECT` : this.messages.insertFrom(sql`changed`, message)}
      ), event AS (
        ${this.events.appendFrom(sql`changed`, change.event, sql`json_build_object('version', version, 'sequence_no', sequence_no)`, invocation)}
      )
      SELECT changed.*, EXISTS (SELECT FROM fact) AS permitted, EXISTS (SELECT FROM claim) AS claimed
      FROM (SELECT) one LEFT JOIN changed ON true`);
    return outcomeOf(row);
  }
}

/** The one row of the change statement; its members are null when nothing changed. */
type ChangeRow = { permitted: boolean; claimed: boolean } & (ChangedHandoff | { id: null });

function outcomeOf(row: ChangeRow | undefined): ChangeResult {
  if (!row?.permitted) return 'blocked';
  if (!row.claimed) throw new KeyAlreadyClaimed();
  return row.id === null ? 'lost' : row;
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

/** SQL: a participant of the joined agents row `alias`. */
export function participantJson(alias: 's' | 'r'): Sql {
  const agent = { s: sql`s`, r: sql`r` }[alias];
  return sql`json_build_object('agentId', ${agent}.id, 'handle', ${agent}.handle, 'name', ${agent}.display_name, 'role', ${agent}.role)`;
}

import {
  type HandoffState,
  type Intent,
  LIMITS,
  type Outcome,
  preview,
  type WireProposedAction,
} from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import { BlocksRepository } from '../agents';
import type { Transaction } from '../database';
import { EventLogRepository } from '../events';
import { type KeyReservation, IdempotencyRepository, KeyAlreadyReserved } from '../idempotency';
import { credentialLives, type CommandContext, notAccepted } from '../identity';
import { MessagesRepository, type NewMessage } from '../messages';
import type { LockedHandoff } from './locked-handoff';
import { threadHoldsNoMore } from './handoff.errors';
import { TransitionCounter } from './transition-counter';
import type { Fact, ThreadWrite } from './write/thread-write';

export interface NewHandoff {
  id: string;
  recipientId: string;
  intent: Intent;
  proposedAction: WireProposedAction | null;
  metadata: Record<string, unknown>;
  summary: NewMessage;
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

export type ChangeResult = ChangedHandoff | 'blocked' | 'lost';

/**
 * Writes handoffs. Each write is two statements inside its transaction: one that locks (`HandoffLocksRepository`) and one
 * writable CTE here that does everything, on a fresh snapshot.
 */
@Injectable()
export class HandoffsRepository {
  constructor(
    private readonly blocks: BlocksRepository,
    private readonly idempotency: IdempotencyRepository,
    private readonly messages: MessagesRepository,
    private readonly events: EventLogRepository,
    private readonly transitions: TransitionCounter,
  ) {}

  /**
   * Stores a handoff with its summary, event and idempotency record; all of it or nothing.
   * @throws RelayError unauthenticated when the caller's credential ended meanwhile
   */
  async insert(
    transaction: Transaction,
    handoff: NewHandoff,
    reservation: KeyReservation | undefined,
    context: CommandContext,
  ): Promise<Date | 'blocked'> {
    const senderId = context.by.agentId;
    const { summary } = handoff;
    const [row] = await transaction.query<{ lives: boolean; permitted: boolean; created_at: Date | null }>(sql`
      WITH ${this.messages.contentOf(summary)}, caller AS MATERIALIZED (
        SELECT ${credentialLives(context.by)} AS lives
      ), fact AS MATERIALIZED (
        SELECT ${handoff.id}::uuid AS handoff_id, ${this.messages.bytesOfContent()} AS bytes, 1 AS version, 1 AS sequence_no, clock_timestamp()::timestamptz(3) AS at
        FROM caller WHERE lives AND ${this.blocks.noneBetween(sql`${senderId}::uuid`, sql`${handoff.recipientId}::uuid`)}
      ), reservation AS (
        ${this.idempotency.reserveFrom(sql`fact`, reservation)}
      ), created AS (
        INSERT INTO handoffs (id, sender_id, recipient_id, intent, summary_preview, artifact_count, proposed_action, metadata,
          traceparent, created_at, updated_at, thread_bytes)
        SELECT handoff_id, ${senderId}::uuid, ${handoff.recipientId}::uuid, ${handoff.intent},
          ${preview(summary.body, LIMITS.summaryPreview)}, ${summary.artifacts.length}::integer,
          ${handoff.proposedAction === null ? null : JSON.stringify(handoff.proposedAction)}::json,
          ${JSON.stringify(handoff.metadata)}::json, ${context.traceparent ?? null}::text, at, at, bytes
        FROM fact, reservation
        RETURNING id, sender_id, recipient_id, 1 AS sequence_no, created_at, updated_at, thread_bytes AS bytes
      ), message AS (
        ${this.messages.insertFrom(sql`created`, summary)}
      ), event AS (
        ${this.events.appendFrom(sql`created`, 'handoff.created', sql`json_build_object('intent', ${handoff.intent}::text)`, context)}
      )
      SELECT lives, EXISTS (SELECT FROM fact) AS permitted, (SELECT created_at FROM created) AS created_at FROM caller`);
    if (row?.lives === false) throw notAccepted();
    if (row?.created_at) {
      transaction.afterCommit(() => this.transitions.count('handoff.created'));
      return row.created_at;
    }
    if (row?.permitted === false) return 'blocked';
    throw new KeyAlreadyReserved();
  }

  /** The id of a message, for rebuilding the answer that its append gave. */
  async messageId(transaction: Transaction, handoffId: string, sequenceNo: number): Promise<string | undefined> {
    const [row] = await transaction.query<{ id: string }>(sql`
      SELECT id FROM messages WHERE handoff_id = ${handoffId}::uuid AND sequence_no = ${sequenceNo}`);
    return row?.id;
  }

  /**
   * The conditional update: it takes effect only in the state, version and length that the decision was made on.
   * @throws RelayError unauthenticated when the caller's credential ended meanwhile, invalid_params for a full thread
   */
  async change(
    transaction: Transaction,
    handoff: LockedHandoff,
    { action, event, set, message }: ThreadWrite,
    reservation: KeyReservation | undefined,
    context: CommandContext,
  ): Promise<ChangeResult> {
    const permitted = action.refusedByBlock
      ? this.blocks.noneBetween(sql`h.sender_id`, sql`h.recipient_id`)
      : sql`true`;
    const bounded = action.boundedByThread === true;
    const authored =
      message?.authorId === handoff.sender.agentId ? sql`sender_message_count` : sql`recipient_message_count`;
    const assignments = [
      sql`version = fact.version, updated_at = fact.at`,
      ...Object.entries(set ?? {}).map(assignment),
      ...(message === undefined
        ? []
        : [sql`message_count = fact.sequence_no, ${authored} = h.${authored} + 1, thread_bytes = fact.thread_bytes`]),
    ].reduce((all, next) => sql`${all}, ${next}`);
    const content = message === undefined ? empty : sql`${this.messages.contentOf(message)},`;
    const bytes =
      message === undefined
        ? sql`0 AS bytes, NULL::bigint AS thread_bytes`
        : sql`added.bytes, coalesce(h.thread_bytes, ${this.messages.bytesOfThread(sql`h.id`)}) + added.bytes AS thread_bytes`;
    const [row] = await transaction.query<ChangeRow>(sql`
      WITH ${content} caller AS MATERIALIZED (
        SELECT ${credentialLives(context.by)} AS lives
      ), fact AS MATERIALIZED (
        SELECT h.id AS handoff_id, ${bytes}, h.version + ${action.movesVersion ? 1 : 0}::integer AS version,
          h.message_count + ${message === undefined ? 0 : 1}::integer AS sequence_no,
          greatest(clock_timestamp()::timestamptz(3), h.updated_at) AS at
        FROM caller, handoffs h ${message === undefined ? empty : sql`CROSS JOIN (SELECT ${this.messages.bytesOfContent()} AS bytes) added`}
        WHERE lives AND h.id = ${handoff.id}::uuid AND ${permitted}
      ), reservation AS (
        ${this.idempotency.reserveFrom(sql`fact`, reservation)}
      ), changed AS (
        UPDATE handoffs h SET ${assignments}
        FROM fact, reservation
        WHERE h.id = fact.handoff_id AND h.status = ${handoff.status} AND h.version = ${handoff.version}
          AND h.message_count = ${handoff.messageCount} ${bounded ? sql`AND fact.thread_bytes <= ${LIMITS.threadBytes}` : empty}
        RETURNING h.id, h.sender_id, h.recipient_id, h.status, h.outcome, h.version, fact.sequence_no, fact.bytes, h.updated_at,
          h.accepted_at, h.completed_at, h.cancelled_at
      ), message AS (
        ${message === undefined ? sql`SELECT` : this.messages.insertFrom(sql`changed`, message)}
      ), event AS (
        ${this.events.appendFrom(sql`changed`, event, sql`json_build_object('version', version, 'sequence_no', sequence_no)`, context)}
      )
      SELECT changed.*, lives, EXISTS (SELECT FROM fact) AS permitted,
        ${bounded ? sql`EXISTS (SELECT FROM fact WHERE thread_bytes > ${LIMITS.threadBytes})` : sql`false`} AS full, EXISTS (SELECT FROM reservation) AS reserved
      FROM caller LEFT JOIN changed ON true`);
    const outcome = outcomeOf(row);
    if (typeof outcome === 'object') transaction.afterCommit(() => this.transitions.count(event));
    return outcome;
  }
}

/** The one row of the change statement; its members are null when nothing changed. */
type ChangeRow = { lives: boolean; permitted: boolean; full: boolean; reserved: boolean } & (
  ChangedHandoff | { id: null }
);

function outcomeOf(row: ChangeRow | undefined): ChangeResult {
  if (row?.lives === false) throw notAccepted();
  if (!row?.permitted) return 'blocked';
  if (!row.reserved) throw new KeyAlreadyReserved();
  if (row.id !== null) return row;
  if (row.full) throw threadHoldsNoMore();
  return 'lost';
}

function assignment([column, value]: [string, string | null | Fact]): Sql {
  const assigned = typeof value === 'object' && value !== null ? raw(`fact.${value.fact}`) : sql`${value}`;
  return sql`${raw(column)} = ${assigned}`;
}

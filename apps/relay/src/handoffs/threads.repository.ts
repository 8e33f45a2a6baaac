import type { Artifact, HandoffState, Intent, Outcome, WireProposedAction } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import sql, { type Sql } from 'sql-template-tag';
import { type Transaction, UnitOfWork } from '../database';
import type { Caller } from '../identity';
import { type MessageRow, MessagesRepository, type ReadingWish } from '../messages';
import { deliveryLadder } from './delivery-ladder';
import type { MessageView, ParticipantView, ThreadView, TransitionResult } from './handoff.views';
import { othersCount, participantJson } from './participant.sql';
import { threadNotFound } from './refusals';

/** Reads one thread as its participants may see it; for anybody else it does not exist. */
@Injectable()
export class ThreadsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly messages: MessagesRepository,
  ) {}

  /**
   * The thread in one snapshot, moving the reader's position when wished.
   * @throws RelayError thread_not_found
   */
  async read(on: Transaction | UnitOfWork, id: string, reader: Caller, wish: ReadingWish): Promise<ThreadView> {
    const opened = wish.markRead
      ? sql`UPDATE handoffs h SET opened_at = coalesce(h.opened_at, clock_timestamp()) FROM thread t
          WHERE h.id = t.id AND t.opened_at IS NULL AND h.recipient_id = ${reader.agentId}::uuid
          RETURNING h.opened_at`
      : sql`SELECT NULL::timestamptz AS opened_at WHERE false`;
    const moved = wish.markRead
      ? this.messages.moveReadPosition(sql`reading`, sql`shown`, reader)
      : sql`SELECT NULL::integer AS others_read WHERE false`;
    const [row] = await on.query<ThreadRow>(sql`
      WITH thread AS MATERIALIZED (
        ${this.threadOf(id, reader)}
      ), shown AS MATERIALIZED (
        ${this.messages.shownIn(sql`thread`, wish)}
      ), opened AS (
        ${opened}
      ), reading AS (
        -- The handoff's row before the position's, as whoever accepts does: no two readers wait in a circle.
        SELECT t.* FROM thread t, (SELECT count(*) FROM opened) first
      ), moved AS (
        ${moved}
      )
      SELECT t.*, first.body AS summary, first.artifacts, result.body AS result_body, result.artifacts AS result_artifacts,
        t.others - coalesce((SELECT others_read FROM moved), t.others_read) AS unread,
        coalesce((SELECT opened_at FROM opened), t.opened_at) AS first_opened_at,
        (${this.messages.asJson(sql`shown`)}) AS messages
      FROM thread t
      JOIN messages first ON first.handoff_id = t.id AND first.sequence_no = 1
      LEFT JOIN messages result ON result.handoff_id = t.id AND result.sequence_no = t.message_count AND result.kind = 'result'`);
    if (row === undefined) throw threadNotFound(id);
    return threadView(row);
  }

  /** How a thread ended, as the transition that ended it answered. @throws RelayError thread_not_found */
  async endOf(id: string, reader: Caller): Promise<TransitionResult> {
    const thread = await this.read(this.unitOfWork, id, reader, {
      afterSequenceNo: 0,
      historyLength: 0,
      markRead: false,
    });
    return { ...thread, handoffId: thread.id, thread: undefined, replayed: true };
  }

  /** The handle a handoff was sent to. @throws RelayError thread_not_found */
  async recipientOf(id: string, reader: Caller): Promise<string> {
    const [row] = await this.unitOfWork.query<{ handle: string }>(sql`
      SELECT r.handle FROM handoffs h JOIN agents r ON r.id = h.recipient_id
      WHERE h.id = ${id}::uuid AND ${reader.agentId}::uuid IN (h.sender_id, h.recipient_id)`);
    if (row === undefined) throw threadNotFound(id);
    return row.handle;
  }

  private threadOf(id: string, reader: Caller): Sql {
    return sql`
      SELECT h.id, h.status, h.intent, h.proposed_action, h.metadata, h.version, h.message_count, h.outcome, h.traceparent,
        h.created_at, h.updated_at, h.accepted_at, h.completed_at, h.cancelled_at, h.listed_at, h.opened_at,
        ${participantJson('s')} AS sender, ${participantJson('r')} AS recipient,
        ${othersCount(reader.agentId)} AS others,
        coalesce(p.sequence_no, 0) AS read_to, coalesce(p.others_read, 0) AS others_read
      FROM handoffs h JOIN agents s ON s.id = h.sender_id JOIN agents r ON r.id = h.recipient_id
      LEFT JOIN read_positions p
        ON p.handoff_id = h.id AND p.agent_id = ${reader.agentId}::uuid AND p.principal = ${reader.principal}
      WHERE h.id = ${id}::uuid AND ${reader.agentId}::uuid IN (h.sender_id, h.recipient_id)`;
  }
}

interface ThreadRow {
  id: string;
  status: HandoffState;
  intent: Intent;
  proposed_action: WireProposedAction | null;
  metadata: Record<string, unknown>;
  version: number;
  outcome: Outcome | null;
  traceparent: string | null;
  created_at: Date;
  updated_at: Date;
  accepted_at: Date | null;
  completed_at: Date | null;
  cancelled_at: Date | null;
  listed_at: Date | null;
  first_opened_at: Date | null;
  sender: ParticipantView;
  recipient: ParticipantView;
  summary: string;
  artifacts: Artifact[];
  result_body: string | null;
  result_artifacts: Artifact[] | null;
  unread: number;
  messages: MessageRow[];
}

function threadView(row: ThreadRow): ThreadView {
  const authors = new Map([row.sender, row.recipient].map((participant) => [participant.agentId, participant]));
  return {
    id: row.id,
    sender: row.sender,
    recipient: row.recipient,
    status: row.status,
    intent: row.intent,
    summary: row.summary,
    artifacts: row.artifacts,
    proposedAction: row.proposed_action,
    metadata: row.metadata,
    messages: row.messages.map((message) => messageView(message, authors)),
    unreadMessages: row.unread,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    acceptedAt: row.accepted_at,
    completedAt: row.completed_at,
    cancelledAt: row.cancelled_at,
    completedSummary: row.result_body,
    completionArtifacts: row.result_artifacts ?? [],
    outcome: row.outcome,
    delivery: deliveryLadder({
      createdAt: row.created_at,
      listedAt: row.listed_at,
      openedAt: row.first_opened_at,
      acceptedAt: row.accepted_at,
      completedAt: row.completed_at,
      cancelledAt: row.cancelled_at,
    }),
    traceparent: row.traceparent,
    version: row.version,
  };
}

function messageView(row: MessageRow, authors: ReadonlyMap<string, ParticipantView>): MessageView {
  return {
    id: row.id,
    sequenceNo: row.sequence_no,
    author: row.author_id === null ? undefined : authors.get(row.author_id),
    kind: row.kind,
    body: row.body,
    payload: row.payload,
    artifacts: row.artifacts,
    createdAt: new Date(row.created_at),
  };
}

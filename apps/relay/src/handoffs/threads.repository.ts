import {
  type Artifact,
  type HandoffState,
  type Intent,
  type Outcome,
  type WireProposedAction,
} from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import sql, { type Sql } from 'sql-template-tag';
import { isForeignKeyBroken, type Transaction, UnitOfWork } from '../database';
import { AnswerRoom, noRoomInBatch, READ_AT_ONCE_BYTES } from '../http';
import type { Caller } from '../identity';
import { type MessageRow, MessagesRepository, type ReadingWish } from '../messages';
import { deliveryLadder } from './delivery-ladder';
import type { MessageView, ParticipantView, ThreadView, TransitionResult } from './handoff.views';
import { othersCount, participantJson } from './participant.sql';
import { mostBytesOfMessage, threadNotFound } from './handoff.errors';

/** What the members of a thread take in an answer that are not counted each: names, participants, times, links. */
const HEAD_BYTES = 8_192;
const NO_CAP = 2_147_483_647;

/** How much one statement may yield: the part is cut at `bound`, and nothing of it is read when it takes more than `cap`. */
interface Extent {
  bound: number;
  cap: number;
}

/** Reads one thread as its participants may see it; for anybody else it does not exist. */
@Injectable()
export class ThreadsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly messages: MessagesRepository,
  ) {}

  /**
   * As much of the thread as has room, oldest messages first, in one snapshot; moves the reader's position when wished, as far as
   * the messages that are returned close the gap. At least one message is returned where one is wanted.
   * @throws RelayError thread_not_found; payload_too_large when the room of a batch is used up; unavailable when too much is in flight
   */
  async read(
    on: Transaction | UnitOfWork,
    id: string,
    reader: Caller,
    wish: ReadingWish,
    room: AnswerRoom,
  ): Promise<ThreadView> {
    const bound = room.left;
    const row = await this.part(on, id, reader, wish, { bound, cap: Math.min(bound, READ_AT_ONCE_BYTES) });
    if (row.is_read) return threadView(row);
    if (row.answer_bytes > bound && room.isShared) throw noRoomInBatch();
    room.reserve(row.answer_bytes);
    return threadView(await this.part(on, id, reader, wish, { bound: row.answer_bytes, cap: NO_CAP }));
  }

  private async part(
    on: Transaction | UnitOfWork,
    id: string,
    reader: Caller,
    wish: ReadingWish,
    { bound, cap }: Extent,
  ): Promise<ThreadRow> {
    const opened = wish.markRead
      ? sql`UPDATE handoffs h SET opened_at = coalesce(h.opened_at, clock_timestamp()) FROM thread t, plan p
          WHERE h.id = t.id AND t.opened_at IS NULL AND h.recipient_id = ${reader.agentId}::uuid AND p.is_read
          RETURNING h.opened_at`
      : sql`SELECT NULL::timestamptz AS opened_at WHERE false`;
    const moved = wish.markRead
      ? this.messages.moveReadPosition(sql`reading`, sql`shown`, reader)
      : sql`SELECT NULL::integer AS others_read WHERE false`;
    const asked = on.query<ThreadRow>(sql`
      WITH thread AS MATERIALIZED (
        ${this.threadOf(id, reader)}
      ), running AS MATERIALIZED (
        ${this.messages.wantedOf(sql`thread`, wish, mostBytesOfMessage())}
      ), head AS MATERIALIZED (
        ${this.headOf(bound)}
      ), part AS MATERIALIZED (
        SELECT r.* FROM running r, head h
        WHERE r.through <= h.room - CASE WHEN h.with_action THEN h.action_bytes ELSE 0 END
          OR r.sequence_no = (SELECT min(sequence_no) FROM running)
      ), plan AS MATERIALIZED (
        ${planOf(bound, cap)}
      ), shown AS MATERIALIZED (
        SELECT m.*, part.whole FROM part JOIN plan ON plan.is_read JOIN thread t ON true
        JOIN messages m ON m.handoff_id = t.id AND m.sequence_no = part.sequence_no
      ), opened AS (
        ${opened}
      ), reading AS (
        -- The handoff's row before the position's, as whoever accepts does: no two readers wait in a circle.
        SELECT t.* FROM thread t, (SELECT count(*) FROM opened) first
      ), moved AS (
        ${moved}
      )
      SELECT t.id, t.status, t.intent, t.metadata, t.version, t.outcome, t.traceparent, t.created_at, t.updated_at, t.accepted_at,
        t.completed_at, t.cancelled_at, t.listed_at, t.sender, t.recipient, head.summary, head.result_body, plan.*,
        CASE WHEN plan.is_read AND NOT plan.without_action THEN t.proposed_action END AS proposed_action,
        CASE WHEN plan.is_read AND NOT plan.without_own_artifacts THEN first.artifacts ELSE '[]' END AS artifacts,
        CASE WHEN plan.is_read AND NOT plan.without_result_artifacts THEN result.artifacts ELSE '[]' END AS result_artifacts,
        t.others - coalesce((SELECT others_read FROM moved), t.others_read) AS unread,
        coalesce((SELECT opened_at FROM opened), t.opened_at) AS first_opened_at,
        (SELECT coalesce(array_agg(sequence_no ORDER BY sequence_no), '{}') FROM part WHERE NOT whole) AS without_artifacts,
        (${this.messages.asJson(sql`shown`)}) AS messages
      FROM thread t CROSS JOIN head CROSS JOIN plan
      JOIN messages first ON first.handoff_id = t.id AND first.sequence_no = 1
      LEFT JOIN messages result ON ${IS_RESULT}`);
    const [row] = await asked.catch((error: unknown) => {
      // Retention has removed it since the snapshot: a read position has nothing to belong to.
      if (isForeignKeyBroken(error)) return [];
      throw error;
    });
    if (row === undefined) throw threadNotFound(id);
    return row;
  }

  /** How a thread ended, as the transition that ended it answered. @throws RelayError thread_not_found */
  async endOf(id: string, reader: Caller): Promise<TransitionResult> {
    const wish = { afterSequenceNo: 0, historyLength: 0, markRead: false };
    const thread = await this.read(this.unitOfWork, id, reader, wish, new AnswerRoom());
    return { ...thread, handoffId: thread.id, thread: undefined, threadOmitted: false, replayed: true };
  }

  /** The handle a handoff was sent to. @throws RelayError thread_not_found */
  async recipientOf(id: string, reader: Caller): Promise<string> {
    const [row] = await this.unitOfWork.query<{ handle: string }>(sql`
      SELECT r.handle FROM handoffs h JOIN agents r ON r.id = h.recipient_id
      WHERE h.id = ${id}::uuid AND ${reader.agentId}::uuid IN (h.sender_id, h.recipient_id)`);
    if (row === undefined) throw threadNotFound(id);
    return row.handle;
  }

  /** What stands beside the messages, in bytes, and what of `bound` is left for them. */
  private headOf(bound: number): Sql {
    return sql`
      SELECT h.*, h.action_bytes <= h.room - coalesce((SELECT min(through) FROM running), 0) AS with_action
      FROM (
        SELECT first.body AS summary, result.body AS result_body,
          coalesce(octet_length(t.proposed_action::text), 0) AS action_bytes,
          ${this.messages.artifactBytes(sql`first`)} AS artifact_bytes,
          coalesce(${this.messages.artifactBytes(sql`result`)}, 2) AS result_artifact_bytes,
          ${bound}::integer - ${HEAD_BYTES}::integer - octet_length(t.metadata::text) - octet_length(to_json(first.body)::text)
            - coalesce(octet_length(to_json(result.body)::text), 0) AS room
        FROM thread t
        JOIN messages first ON first.handoff_id = t.id AND first.sequence_no = 1
        LEFT JOIN messages result ON ${IS_RESULT}
      ) h`;
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

/** SQL: the message `result` is the one that ended the thread `t`. */
const IS_RESULT = sql`result.handoff_id = t.id AND result.sequence_no = t.message_count AND result.kind = 'result'`;

/** SQL: which members have room beside the messages of `part`, what all takes, and where to read on. */
function planOf(bound: number, cap: number): Sql {
  return sql`
    SELECT NOT h.with_action AS without_action,
      NOT c.with_artifacts AND h.artifact_bytes > 2 AS without_own_artifacts,
      NOT d.with_result_artifacts AND h.result_artifact_bytes > 2 AS without_result_artifacts,
      e.answer_bytes::float8 AS answer_bytes, e.answer_bytes <= ${cap}::integer AS is_read,
      CASE WHEN (SELECT max(sequence_no) FROM part) < (SELECT max(sequence_no) FROM running)
        THEN (SELECT max(sequence_no) FROM part) END AS next_after
    FROM head h
    CROSS JOIN LATERAL (
      SELECT coalesce((SELECT max(through) FROM part), 0) + CASE WHEN h.with_action THEN h.action_bytes ELSE 0 END AS taken
    ) a
    CROSS JOIN LATERAL (SELECT h.artifact_bytes <= h.room - a.taken AS with_artifacts) c
    CROSS JOIN LATERAL (SELECT a.taken + CASE WHEN c.with_artifacts THEN h.artifact_bytes ELSE 0 END AS taken) b
    CROSS JOIN LATERAL (SELECT h.result_artifact_bytes <= h.room - b.taken AS with_result_artifacts) d
    CROSS JOIN LATERAL (
      SELECT ${bound}::integer - h.room + b.taken + CASE WHEN d.with_result_artifacts THEN h.result_artifact_bytes ELSE 0 END
        AS answer_bytes
    ) e`;
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
  without_action: boolean;
  without_own_artifacts: boolean;
  without_result_artifacts: boolean;
  /** Numbers of messages that are too large to be shown with their artifacts. */
  without_artifacts: number[];
  /** What the part takes. */
  answer_bytes: number;
  /** Whether the part is here; else only its size is. */
  is_read: boolean;
  /** The last message of the part, where more follow. */
  next_after: number | null;
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
    nextAfterSequenceNo: row.next_after,
    omitted: omittedOf(row),
  };
}

function omittedOf(row: ThreadRow): string[] {
  return [
    ...(row.without_own_artifacts ? ['artifacts'] : []),
    ...(row.without_result_artifacts ? ['completion_artifacts'] : []),
    ...(row.without_action ? ['proposed_action'] : []),
    ...row.without_artifacts.map((sequenceNo) => `messages.${sequenceNo}.artifacts`),
  ];
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

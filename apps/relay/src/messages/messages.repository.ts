import type { Artifact, MessageKind } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import sql, { empty, type Sql } from 'sql-template-tag';

export interface NewMessage {
  id: string;
  authorId: string;
  kind: MessageKind;
  body: string;
  payload: Record<string, unknown>;
  artifacts: Artifact[];
}

/** Which messages of a thread a reader wants, and whether reading counts. */
export interface ReadingWish {
  /** Only messages above this number. */
  afterSequenceNo: number;
  /** At most so many, the newest ones; undefined for all. */
  historyLength: number | undefined;
  /** Whether the reader's position moves. */
  markRead: boolean;
}

/** A message as the thread query yields it: JSON made by the database, so times are text. */
export interface MessageRow {
  id: string;
  sequence_no: number;
  author_id: string | null;
  kind: MessageKind;
  body: string;
  payload: Record<string, unknown>;
  artifacts: Artifact[];
  created_at: string;
}

/** SQL members of the statements that write and read threads. */
@Injectable()
export class MessagesRepository {
  /** The INSERT of a message. `changed` yields the handoff's `id`, the message's `sequence_no` and its time `updated_at`. */
  insertFrom(changed: Sql, message: NewMessage): Sql {
    return sql`
      INSERT INTO messages (handoff_id, sequence_no, id, author_id, kind, body, payload, artifacts, created_at)
      SELECT id, sequence_no, ${message.id}::uuid, ${message.authorId}::uuid, ${message.kind}, ${message.body},
        ${JSON.stringify(message.payload)}::json, ${JSON.stringify(message.artifacts)}::json, updated_at
      FROM ${changed}`;
  }

  /** The messages that a reader wants of the thread whose `id` the CTE `thread` yields. */
  shownIn(thread: Sql, wish: ReadingWish): Sql {
    return sql`
      SELECT m.* FROM messages m JOIN ${thread} t ON m.handoff_id = t.id
      WHERE m.sequence_no > ${wish.afterSequenceNo}
      ORDER BY m.sequence_no DESC ${wish.historyLength === undefined ? empty : sql`LIMIT ${wish.historyLength}`}`;
  }

  /** A JSON array of the messages that `shown` yields, in order. */
  asJson(shown: Sql): Sql {
    return sql`
      SELECT coalesce(json_agg(json_build_object('id', id, 'sequence_no', sequence_no, 'author_id', author_id, 'kind', kind,
        'body', body, 'payload', payload, 'artifacts', artifacts, 'created_at', created_at) ORDER BY sequence_no), '[]')
      FROM ${shown}`;
  }

  /**
   * Moves the reader's position to the highest number up to which `shown` closes the gap, writing nothing when
   * it does not move. Yields the new `others_read`. `thread` yields `id` and the reader's `read_to`.
   */
  moveReadPosition(thread: Sql, shown: Sql, reader: { agentId: string; principal: string }): Sql {
    return sql`
      INSERT INTO read_positions AS held (handoff_id, agent_id, principal, sequence_no, others_read)
      SELECT t.id, ${reader.agentId}::uuid, ${reader.principal}, s.last, (
        SELECT count(*) FROM messages m
        WHERE m.handoff_id = t.id AND m.sequence_no <= s.last AND m.author_id IS DISTINCT FROM ${reader.agentId}::uuid)
      FROM ${thread} t CROSS JOIN (SELECT min(sequence_no) AS first, max(sequence_no) AS last FROM ${shown}) s
      WHERE s.first <= t.read_to + 1 AND s.last > t.read_to
      ON CONFLICT (handoff_id, agent_id, principal) DO UPDATE SET
        sequence_no = greatest(held.sequence_no, excluded.sequence_no), others_read = greatest(held.others_read, excluded.others_read)
      RETURNING others_read`;
  }
}

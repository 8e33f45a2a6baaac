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
  /** What a message holds, as the CTE `content` of the statement that writes it; it is named more than once but sent once. */
  contentOf({ body, payload, artifacts }: NewMessage): Sql {
    return sql`content AS NOT MATERIALIZED (
      SELECT ${body}::text AS body, ${JSON.stringify(payload)}::json AS payload, ${JSON.stringify(artifacts)}::json AS artifacts
    )`;
  }

  /** How many bytes the message of the CTE `content` takes in an answer. */
  bytesOfContent(): Sql {
    return sql`(SELECT message_bytes(c.body, c.payload, c.artifacts) FROM content c)`;
  }

  /** How many bytes all messages of a thread take in an answer, for a thread that was not counted yet. */
  bytesOfThread(handoffId: Sql): Sql {
    return sql`(SELECT sum(${BYTES}) FROM messages m WHERE m.handoff_id = ${handoffId})`;
  }

  /**
   * The INSERT of the message of the CTE `content`. `changed` yields the handoff's `id`, the message's `sequence_no` and `bytes`,
   * and its time `updated_at`.
   */
  insertFrom(changed: Sql, message: NewMessage): Sql {
    return sql`
      INSERT INTO messages (handoff_id, sequence_no, id, author_id, kind, body, payload, artifacts, created_at, bytes)
      SELECT f.id, f.sequence_no, ${message.id}::uuid, ${message.authorId}::uuid, ${message.kind}, c.body, c.payload, c.artifacts,
        f.updated_at, f.bytes
      FROM ${changed} f, content c`;
  }

  /**
   * The messages that a reader wants of the thread whose `id` the CTE `thread` yields: `sequence_no`, `through` (the bytes of all up
   * to this one), and whether it is shown `whole`. One of more than `most` bytes is shown without its artifacts.
   */
  wantedOf(thread: Sql, wish: ReadingWish, most: number): Sql {
    return sql`
      SELECT sequence_no, bytes <= ${most}::integer AS whole,
        sum(CASE WHEN bytes <= ${most}::integer THEN bytes ELSE bytes - artifact_bytes END) OVER (ORDER BY sequence_no) AS through
      FROM (
        SELECT m.sequence_no, ${BYTES} AS bytes, CASE WHEN ${BYTES} > ${most}::integer THEN ${this.artifactBytes(sql`m`)} END AS artifact_bytes
        FROM messages m JOIN ${thread} t ON m.handoff_id = t.id
        WHERE m.sequence_no > ${wish.afterSequenceNo}
        ORDER BY m.sequence_no DESC ${wish.historyLength === undefined ? empty : sql`LIMIT ${wish.historyLength}`}
      ) wanted`;
  }

  /** How many bytes the artifacts of the message `m` take in an answer; 2 for none. Does not look at them. */
  artifactBytes(m: Sql): Sql {
    return sql`(coalesce(${m}.bytes, message_bytes(${m}.body, ${m}.payload, ${m}.artifacts)) - message_bytes(${m}.body, ${m}.payload, '[]') + 2)`;
  }

  /** A JSON array of the messages that `shown` yields, in order; `whole` says whether artifacts are among it. */
  asJson(shown: Sql): Sql {
    return sql`
      SELECT coalesce(json_agg(json_build_object('id', id, 'sequence_no', sequence_no, 'author_id', author_id, 'kind', kind,
        'body', body, 'payload', payload, 'artifacts', CASE WHEN whole THEN artifacts ELSE '[]' END, 'created_at', created_at)
        ORDER BY sequence_no), '[]')
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

/** SQL: how many bytes the message `m` takes in an answer; a version that did not count leaves that to us. */
const BYTES = sql`coalesce(m.bytes, message_bytes(m.body, m.payload, m.artifacts))`;

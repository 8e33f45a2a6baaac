import type { Artifact, MessageKind } from '@agentrelay/protocol';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** One entry of a thread. Entries are only ever added, numbered without gaps (domain.md 2). */
@Entity('messages')
@Index('messages_one_result_key', ['handoffId'], { unique: true, where: `kind = 'result'` })
@Check('messages_sequence_starts_at_one', 'sequence_no >= 1')
@Check('messages_kind_known', `kind IN ('summary', 'message', 'draft', 'result', 'system')`)
@Check('messages_first_is_summary', `(kind = 'summary') = (sequence_no = 1)`)
@Check('messages_author_unless_system', `author_id IS NOT NULL OR kind IN ('result', 'system')`)
@Check('messages_bytes_cover_the_body', 'bytes > octet_length(body)')
export class MessageEntity {
  @ForeignKey('HandoffEntity', { name: 'messages_handoff_id_fkey' })
  @PrimaryColumn('uuid', { name: 'handoff_id', primaryKeyConstraintName: 'messages_pkey' })
  handoffId!: string;

  @PrimaryColumn('integer', { name: 'sequence_no', primaryKeyConstraintName: 'messages_pkey' })
  sequenceNo!: number;

  @Column('uuid')
  id!: string;

  /** Null when the relay itself wrote it. */
  @ForeignKey('AgentEntity', { name: 'messages_author_id_fkey' })
  @Column('uuid', { name: 'author_id', nullable: true })
  authorId!: string | null;

  @Column('text')
  kind!: MessageKind;

  @Column('text')
  body!: string;

  @Column('json')
  payload!: Record<string, unknown>;

  @Column('json')
  artifacts!: Artifact[];

  @Column('timestamp with time zone', { name: 'created_at', precision: 3 })
  createdAt!: Date;

  /** What it takes in an answer; null where a version wrote it that did not count. */
  @Column('integer', { nullable: true })
  bytes!: number | null;
}

import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { EventType } from './event-types';

/**
 * One thing that happened: the audit trail, the source of live updates and the outbox in one table.
 * Ordered by (transaction, id), so that a reader below the snapshot's horizon never skips a late commit.
 */
@Entity('events')
@Index('events_sender_idx', ['senderId', 'transactionId', 'id'], { where: 'sender_id IS NOT NULL' })
@Index('events_recipient_idx', ['recipientId', 'transactionId', 'id'], { where: 'recipient_id IS NOT NULL' })
@Index('events_agent_idx', ['agentId', 'transactionId', 'id'], { where: 'agent_id IS NOT NULL' })
@Check('events_actor_kind_known', `actor_kind IN ('agent', 'human', 'admin', 'system')`)
@Check('events_actor_id_iff_participant', `(actor_kind IN ('agent', 'human')) = (actor_id IS NOT NULL)`)
@Check('events_actor_name_iff_admin', `(actor_kind = 'admin') = (actor_name IS NOT NULL)`)
@Check(
  'events_of_a_thread_or_an_agent',
  `(handoff_id IS NOT NULL AND sender_id IS NOT NULL AND recipient_id IS NOT NULL AND agent_id IS NULL)
   OR (handoff_id IS NULL AND sender_id IS NULL AND recipient_id IS NULL AND agent_id IS NOT NULL)`,
)
export class EventEntity {
  @PrimaryColumn('bigint', { name: 'transaction_id', primaryKeyConstraintName: 'events_pkey' })
  transactionId!: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'events_pkey' })
  id!: string;

  @Column('text')
  type!: EventType;

  @Column('text', { name: 'actor_kind' })
  actorKind!: 'agent' | 'human' | 'admin' | 'system';

  @Column('uuid', { name: 'actor_id', nullable: true })
  actorId!: string | null;

  @Column('text', { name: 'actor_name', nullable: true })
  actorName!: string | null;

  @Column('uuid', { name: 'handoff_id', nullable: true })
  handoffId!: string | null;

  @Column('uuid', { name: 'sender_id', nullable: true })
  senderId!: string | null;

  @Column('uuid', { name: 'recipient_id', nullable: true })
  recipientId!: string | null;

  /** The agent that an event outside any thread concerns. */
  @Column('uuid', { name: 'agent_id', nullable: true })
  agentId!: string | null;

  @Column('json')
  payload!: Record<string, unknown>;

  @Column('text', { name: 'request_id' })
  requestId!: string;

  @Column('timestamp with time zone', { name: 'created_at', precision: 3 })
  createdAt!: Date;
}

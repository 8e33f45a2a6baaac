import type { HandoffState, Intent, Outcome, WireProposedAction } from '@agentrelay/protocol';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/**
 * The aggregate: one piece of work handed from a sender to a recipient. Its summary, artifacts and result are
 * messages of its thread. The list indexes (`handoffs_*_list_idx`) are descending, which decorators cannot say.
 */
@Entity('handoffs')
@Index('handoffs_recipient_list_idx', { synchronize: false })
@Index('handoffs_sender_list_idx', { synchronize: false })
@Index('handoffs_open_idx', ['status', 'createdAt'], { where: `status IN ('pending', 'accepted')` })
@Index('handoffs_ended_idx', ['updatedAt'], { where: `status IN ('completed', 'cancelled')` })
@Check('handoffs_traceparent_is_one', `traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'`)
@Check('handoffs_two_agents', 'sender_id <> recipient_id')
@Check('handoffs_status_known', `status IN ('pending', 'accepted', 'completed', 'cancelled')`)
@Check('handoffs_intent_known', `intent IN ('inform', 'ask_question', 'propose_action')`)
@Check('handoffs_outcome_known', `outcome IN ('answered', 'failed')`)
@Check('handoffs_proposed_action_iff_intent', `(intent = 'propose_action') = (proposed_action IS NOT NULL)`)
@Check('handoffs_accepted_at_iff_status', `(status IN ('accepted', 'completed')) = (accepted_at IS NOT NULL)`)
@Check('handoffs_accepted_version_iff_accepted', '(accepted_at IS NULL) = (accepted_version IS NULL)')
@Check('handoffs_completed_at_iff_status', `(status = 'completed') = (completed_at IS NOT NULL)`)
@Check('handoffs_outcome_iff_completed', `(status = 'completed') = (outcome IS NOT NULL)`)
@Check('handoffs_cancelled_at_iff_status', `(status = 'cancelled') = (cancelled_at IS NOT NULL)`)
@Check(
  'handoffs_counts',
  `version >= 1 AND artifact_count >= 0 AND sender_message_count >= 1 AND recipient_message_count >= 0
   AND message_count >= sender_message_count + recipient_message_count`,
)
@Check('handoffs_thread_bytes_positive', 'thread_bytes > 0')
export class HandoffEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'handoffs_pkey' })
  id!: string;

  @ForeignKey('AgentEntity', { name: 'handoffs_sender_id_fkey' })
  @Column('uuid', { name: 'sender_id' })
  senderId!: string;

  @ForeignKey('AgentEntity', { name: 'handoffs_recipient_id_fkey' })
  @Column('uuid', { name: 'recipient_id' })
  recipientId!: string;

  @Column('text', { default: 'pending' })
  status!: HandoffState;

  @Column('text')
  intent!: Intent;

  /** What lists show of the summary, so that they need no message. */
  @Column('text', { name: 'summary_preview' })
  summaryPreview!: string;

  @Column('integer', { name: 'artifact_count' })
  artifactCount!: number;

  @Column('json', { name: 'proposed_action', nullable: true })
  proposedAction!: WireProposedAction | null;

  @Column('json')
  metadata!: Record<string, unknown>;

  /** Counts transitions; messages do not move it. */
  @Column('integer', { default: 1 })
  version!: number;

  @Column('integer', { name: 'message_count', default: 1 })
  messageCount!: number;

  @Column('integer', { name: 'sender_message_count', default: 1 })
  senderMessageCount!: number;

  @Column('integer', { name: 'recipient_message_count', default: 0 })
  recipientMessageCount!: number;

  /** What all messages take in an answer together; null where they were not counted yet. The driver yields text. */
  @Column('bigint', { name: 'thread_bytes', nullable: true })
  threadBytes!: string | null;

  @Column('text', { nullable: true })
  outcome!: Outcome | null;

  @Column('text', { name: 'accepted_session_id', nullable: true })
  acceptedSessionId!: string | null;

  @Column('integer', { name: 'accepted_version', nullable: true })
  acceptedVersion!: number | null;

  @Column('timestamp with time zone', { name: 'created_at', precision: 3 })
  createdAt!: Date;

  /** Moves on every message and transition. */
  @Column('timestamp with time zone', { name: 'updated_at', precision: 3 })
  updatedAt!: Date;

  @Column('timestamp with time zone', { name: 'accepted_at', precision: 3, nullable: true })
  acceptedAt!: Date | null;

  @Column('timestamp with time zone', { name: 'completed_at', precision: 3, nullable: true })
  completedAt!: Date | null;

  @Column('timestamp with time zone', { name: 'cancelled_at', precision: 3, nullable: true })
  cancelledAt!: Date | null;

  /** When it first appeared in a list of the recipient's. */
  @Column('timestamp with time zone', { name: 'listed_at', precision: 3, nullable: true })
  listedAt!: Date | null;

  /** When the recipient first read the thread. */
  @Column('timestamp with time zone', { name: 'opened_at', precision: 3, nullable: true })
  openedAt!: Date | null;

  @Column('text', { nullable: true })
  traceparent!: string | null;
}

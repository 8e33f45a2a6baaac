import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How far a subscriber has read the log. */
@Entity('event_subscribers')
export class EventSubscriberEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'event_subscribers_pkey' })
  name!: string;

  @Column('bigint', { name: 'transaction_id' })
  transactionId!: string;

  @Column('uuid', { name: 'event_id' })
  eventId!: string;

  /** Events that retention removed before they were read. */
  @Column('bigint', { name: 'missed_events', default: 0 })
  missedEvents!: string;

  /** When that happened last. */
  @Column('timestamp with time zone', { name: 'voided_at', precision: 3, nullable: true })
  voidedAt!: Date | null;
}

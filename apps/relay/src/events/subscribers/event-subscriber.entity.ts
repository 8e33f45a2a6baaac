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
}

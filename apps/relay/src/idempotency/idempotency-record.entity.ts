import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Remembers that a write was done under a key: ids, versions and times, never texts (domain.md 4). */
@Entity('idempotency_records')
@Check('idempotency_records_key_length', 'length(key) BETWEEN 1 AND 255')
export class IdempotencyRecordEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_records_pkey' })
  scope!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_records_pkey' })
  command!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_records_pkey' })
  key!: string;

  @Column('bytea', { name: 'arguments_hash' })
  argumentsHash!: Buffer;

  @Column('uuid', { name: 'handoff_id', nullable: true })
  handoffId!: string | null;

  @Column('integer', { nullable: true })
  version!: number | null;

  @Column('integer', { name: 'sequence_no', nullable: true })
  sequenceNo!: number | null;

  /** What was answered, where it cannot be rebuilt from what is stored. Emptied when the agent is erased. */
  @Column('json', { nullable: true })
  answer!: object | null;

  @Column('timestamp with time zone', { name: 'created_at', precision: 3 })
  createdAt!: Date;

  @Index('idempotency_records_expires_at_idx')
  @Column('timestamp with time zone', { name: 'expires_at', precision: 3 })
  expiresAt!: Date;
}

import type { Principal } from '@agentrelay/protocol';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** Remembers that a write was done under a key: ids, versions and times, never texts (domain.md 4). */
@Entity('idempotency_records')
@Check('idempotency_records_key_length', 'length(key) BETWEEN 1 AND 255')
export class IdempotencyRecordEntity {
  @ForeignKey('AgentEntity', { name: 'idempotency_records_agent_id_fkey' })
  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: 'idempotency_records_pkey' })
  agentId!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_records_pkey' })
  principal!: Principal;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_records_pkey' })
  command!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_records_pkey' })
  key!: string;

  @Column('bytea', { name: 'arguments_hash' })
  argumentsHash!: Buffer;

  @Column('uuid', { name: 'handoff_id' })
  handoffId!: string;

  @Column('integer')
  version!: number;

  @Column('integer', { name: 'sequence_no' })
  sequenceNo!: number;

  @Column('timestamp with time zone', { name: 'created_at', precision: 3 })
  createdAt!: Date;

  @Index('idempotency_records_expires_at_idx')
  @Column('timestamp with time zone', { name: 'expires_at', precision: 3 })
  expiresAt!: Date;
}

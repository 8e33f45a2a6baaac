import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** Stops the blocked agent from reaching the blocker (domain.md 5). */
@Entity('blocks')
@Check('blocks_two_agents', 'blocker_id <> blocked_id')
export class BlockEntity {
  @ForeignKey('AgentEntity', { name: 'blocks_blocker_id_fkey' })
  @PrimaryColumn('uuid', { name: 'blocker_id', primaryKeyConstraintName: 'blocks_pkey' })
  blockerId!: string;

  @Index('blocks_blocked_id_idx')
  @ForeignKey('AgentEntity', { name: 'blocks_blocked_id_fkey' })
  @PrimaryColumn('uuid', { name: 'blocked_id', primaryKeyConstraintName: 'blocks_pkey' })
  blockedId!: string;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('timestamp with time zone', { name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}

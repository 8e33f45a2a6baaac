import type { Principal } from '@agentrelay/protocol';
import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** How far one side of a thread has read, kept apart for the agent and for the person behind it. */
@Entity('read_positions')
@Check('read_positions_principal_known', `principal IN ('agent', 'human')`)
@Check('read_positions_others_within', 'others_read >= 0 AND others_read <= sequence_no')
export class ReadPositionEntity {
  @ForeignKey('HandoffEntity', { name: 'read_positions_handoff_id_fkey' })
  @PrimaryColumn('uuid', { name: 'handoff_id', primaryKeyConstraintName: 'read_positions_pkey' })
  handoffId!: string;

  @ForeignKey('AgentEntity', { name: 'read_positions_agent_id_fkey' })
  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: 'read_positions_pkey' })
  agentId!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'read_positions_pkey' })
  principal!: Principal;

  /** The highest message up to which everything was returned to this reader. */
  @Column('integer', { name: 'sequence_no' })
  sequenceNo!: number;

  /** How many of those were written by others: what makes an unread count one subtraction. */
  @Column('integer', { name: 'others_read' })
  othersRead!: number;
}

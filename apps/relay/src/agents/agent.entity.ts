import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

/** An address that work can be handed to. */
@Entity('agents')
@Unique('agents_handle_key', ['handle'])
@Check('agents_handle_canonical', `handle ~ '^[a-z0-9._-]+@[a-z0-9._-]+$' AND length(handle) <= 120`)
@Check('agents_status_known', `status IN ('active', 'disabled')`)
export class AgentEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'agents_pkey' })
  id!: string;

  @Column('text')
  handle!: string;

  @Index('agents_owner_id_idx')
  @ForeignKey('OwnerEntity', { name: 'agents_owner_id_fkey' })
  @Column('uuid', { name: 'owner_id' })
  ownerId!: string;

  @Column('text', { name: 'display_name' })
  displayName!: string;

  @Column('text', { default: '' })
  role!: string;

  @Column('text', { default: 'active' })
  status!: 'active' | 'disabled';

  @Column('timestamp with time zone', { name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}

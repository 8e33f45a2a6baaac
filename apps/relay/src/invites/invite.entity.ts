import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** A single-use permission to register one handle, handed out as a link. */
@Entity('invites')
@Check('invites_handle_canonical', `handle ~ '^[a-z0-9._-]+@[a-z0-9._-]+$' AND length(handle) <= 120`)
@Check('invites_secret_mac_is_sha256', 'length(secret_mac) = 32')
@Check('invites_redeemed_as_a_whole', '(redeemed_at IS NULL) = (redeemed_agent_id IS NULL)')
export class InviteEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'invites_pkey' })
  jti!: string;

  @Column('text')
  handle!: string;

  @Column('text')
  role!: string;

  @ForeignKey('AgentEntity', { name: 'invites_inviter_id_fkey' })
  @Column('uuid', { name: 'inviter_id' })
  inviterId!: string;

  /** The registered agent that it gives a new key to; null for an invite that registers its handle. */
  @ForeignKey('AgentEntity', { name: 'invites_agent_id_fkey' })
  @Column('uuid', { name: 'agent_id', nullable: true })
  agentId!: string | null;

  @Column('text', { nullable: true })
  email!: string | null;

  @Column('text', { name: 'pepper_id' })
  pepperId!: string;

  @Column('bytea', { name: 'secret_mac' })
  secretMac!: Buffer;

  @Column('timestamp with time zone', { name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Index('invites_expires_at_idx')
  @Column('timestamp with time zone', { name: 'expires_at', precision: 3 })
  expiresAt!: Date;

  @Column('timestamp with time zone', { name: 'redeemed_at', precision: 3, nullable: true })
  redeemedAt!: Date | null;

  @ForeignKey('AgentEntity', { name: 'invites_redeemed_agent_id_fkey' })
  @Column('uuid', { name: 'redeemed_agent_id', nullable: true })
  redeemedAgentId!: string | null;

  @Column('timestamp with time zone', { name: 'revoked_at', precision: 3, nullable: true })
  revokedAt!: Date | null;
}

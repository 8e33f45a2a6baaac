import type { Principal } from '@agentrelay/protocol';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

/** A credential of one agent, stored so that a copy of the table opens nothing. */
@Entity('api_keys')
@Unique('api_keys_public_id_key', ['publicId'])
@Check('api_keys_principal_known', `principal IN ('agent', 'human')`)
@Check('api_keys_secret_mac_is_sha256', `length(secret_mac) = 32`)
export class ApiKeyEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'api_keys_pkey' })
  id!: string;

  @Column('text', { name: 'public_id' })
  publicId!: string;

  @Index('api_keys_agent_id_idx')
  @ForeignKey('AgentEntity', { name: 'api_keys_agent_id_fkey' })
  @Column('uuid', { name: 'agent_id' })
  agentId!: string;

  @Column('text')
  principal!: Principal;

  @Column('text', { name: 'pepper_id' })
  pepperId!: string;

  @Column('bytea', { name: 'secret_mac' })
  secretMac!: Buffer;

  @Column('text')
  label!: string;

  @Column('timestamp with time zone', { name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamp with time zone', { name: 'expires_at', precision: 3, nullable: true })
  expiresAt!: Date | null;

  @Column('timestamp with time zone', { name: 'last_used_at', precision: 3, nullable: true })
  lastUsedAt!: Date | null;

  @Column('timestamp with time zone', { name: 'revoked_at', precision: 3, nullable: true })
  revokedAt!: Date | null;

  /** The key whose holder made this one by rotating; null for a key that an administrator or an invite gave. */
  @Index('api_keys_parent_id_idx', { where: '(parent_id IS NOT NULL)' })
  @ForeignKey('ApiKeyEntity', { name: 'api_keys_parent_id_fkey' })
  @Column('uuid', { name: 'parent_id', nullable: true })
  parentId!: string | null;

  /** Set when its holder rotates it: when it would have ended otherwise (`infinity`: never). Its successors inherit that. */
  @Column('timestamp with time zone', { name: 'term_ends_at', precision: 3, nullable: true })
  termEndsAt!: Date | null;

  /** When an administrator's rotation let it end. Such a key works until then, and makes and ends no other. */
  @Column('timestamp with time zone', { name: 'superseded_at', precision: 3, nullable: true })
  supersededAt!: Date | null;
}

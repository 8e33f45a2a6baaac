import type { Principal } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { type Transaction, UnitOfWork } from '../database';
import { ApiKeyEntity } from './api-key.entity';

/** What authentication needs of a key and its agent. */
export interface StoredCredential {
  key_id: string;
  agent_id: string;
  handle: string;
  principal: Principal;
  pepper_id: string;
  secret_mac: Buffer;
  /** Neither revoked nor expired, and the agent is active. */
  usable: boolean;
  /** Whether the last recorded use is over a minute old. */
  use_is_stale: boolean;
}

@Injectable()
export class ApiKeysRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async findCredential(publicId: string): Promise<StoredCredential | undefined> {
    const [row] = await this.unitOfWork.query<StoredCredential>(sql`
      SELECT k.id AS key_id, k.agent_id, a.handle, k.principal, k.pepper_id, k.secret_mac,
        k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()) AND a.status = 'active' AS usable,
        k.last_used_at IS NULL OR k.last_used_at < now() - interval '1 minute' AS use_is_stale
      FROM api_keys k JOIN agents a ON a.id = k.agent_id
      WHERE k.public_id = ${publicId}`);
    return row;
  }

  /** Milliseconds that a key of that id still works, null for as long as it is not revoked, or undefined when it does not. */
  async lifeLeft(keyId: string): Promise<number | null | undefined> {
    const [row] = await this.unitOfWork.query<{ left: number | null }>(sql`
      SELECT (extract(epoch FROM k.expires_at - now()) * 1000)::float8 AS left FROM api_keys k JOIN agents a ON a.id = k.agent_id
      WHERE k.id = ${keyId} AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()) AND a.status = 'active'`);
    return row?.left;
  }

  /** Records a use, at most once a minute, so that a busy key costs no write per request. */
  async touch(keyId: string): Promise<void> {
    await this.unitOfWork.query(sql`
      UPDATE api_keys SET last_used_at = now()
      WHERE id = ${keyId} AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`);
  }

  async insert(
    transaction: Transaction,
    key: Omit<ApiKeyEntity, 'createdAt' | 'lastUsedAt' | 'revokedAt'>,
  ): Promise<void> {
    await transaction.manager.insert(ApiKeyEntity, key);
  }

  /** The newest keys of an agent, revoked ones included. */
  async list(agentId: string, limit: number): Promise<ApiKeyEntity[]> {
    return this.unitOfWork.read(ApiKeyEntity, {
      where: { agentId },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: limit,
    });
  }

  /** Revokes a live key of the agent; false when there is none of that id. */
  async revoke(transaction: Transaction, agentId: string, keyId: string): Promise<boolean> {
    const revoked = await transaction.query(sql`
      UPDATE api_keys SET revoked_at = now()
      WHERE id = ${keyId} AND agent_id = ${agentId} AND revoked_at IS NULL
      RETURNING id`);
    return revoked.length > 0;
  }

  /** Revokes every live key of the agent and returns their ids. */
  async revokeAll(transaction: Transaction, agentId: string): Promise<string[]> {
    const revoked = await transaction.query<{ id: string }>(sql`
      UPDATE api_keys SET revoked_at = now() WHERE id IN (
        SELECT id FROM api_keys WHERE agent_id = ${agentId} AND revoked_at IS NULL ORDER BY id FOR UPDATE)
      RETURNING id`);
    return revoked.map(({ id }) => id);
  }

  /** Lets live keys of one principal (or only `keyId`) end after so many seconds, never later than before; returns their ids. */
  async endAfter(
    transaction: Transaction,
    agentId: string,
    principal: Principal,
    keyId: string | undefined,
    seconds: number,
  ): Promise<string[]> {
    // The agent before its keys, as whoever erases it does.
    await transaction.query(sql`SELECT FROM agents WHERE id = ${agentId} FOR NO KEY UPDATE`);
    const ending = await transaction.query<{ id: string }>(sql`
      UPDATE api_keys SET expires_at = least(expires_at, now() + make_interval(secs => ${seconds}))
      WHERE id IN (
        SELECT id FROM api_keys
        WHERE agent_id = ${agentId} AND principal = ${principal} AND revoked_at IS NULL
          AND (expires_at IS NULL OR expires_at > now()) AND (${keyId ?? null}::uuid IS NULL OR id = ${keyId ?? null}::uuid)
        -- Always in this order, so that two rotations at once never wait for each other in a circle.
        ORDER BY id FOR UPDATE)
      RETURNING id`);
    return ending.map(({ id }) => id);
  }
}

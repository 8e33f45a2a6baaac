import type { Principal } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import sql, { type Sql } from 'sql-template-tag';
import { type Transaction, UnitOfWork } from '../database';
import { ApiKeyEntity } from './api-key.entity';
import type { Caller } from './caller';
import { credentialLives, LIVES } from './credential-lives.sql';

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

/** A key as lists show it. */
export interface KeyView {
  id: string;
  principal: Principal;
  label: string;
  parentId: string | null;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

/** A key that was seen to live, locked until the transaction ends. */
export interface LivingKey {
  principal: Principal;
  label: string;
  /** When the keys that it makes end: its own end, not counting what its own rotation changed of that. */
  inherits: Date | null;
  /** Whether an administrator's rotation lets it end. */
  superseded: boolean;
}

export type NewKey = Pick<
  ApiKeyEntity,
  'id' | 'publicId' | 'agentId' | 'principal' | 'pepperId' | 'secretMac' | 'label' | 'expiresAt' | 'parentId'
>;

/** Cut, not rounded: a key that ends now must not be seen to live for another half millisecond. */
const THIS_MOMENT = sql`date_trunc('milliseconds', clock_timestamp())`;

const VIEW = sql`
  SELECT k.id, k.principal, k.label, k.parent_id AS "parentId", k.created_at AS "createdAt", k.expires_at AS "expiresAt",
    k.last_used_at AS "lastUsedAt", k.revoked_at AS "revokedAt" FROM api_keys k`;

/**
 * API keys. Whoever changes the keys of an agent locks the agent first (`lockAgent`), then keys, in order of their ids: so
 * two such changes follow one another, and the second sees what the first did.
 */
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

  /** Records a use of these keys, at most once a minute, and waits for nobody who is changing one of them. */
  async touch(keyIds: readonly string[]): Promise<void> {
    await this.unitOfWork.query(sql`
      UPDATE api_keys SET last_used_at = now() WHERE id IN (
        SELECT id FROM api_keys
        WHERE id = ANY(${[...keyIds]}::uuid[]) AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
        FOR NO KEY UPDATE SKIP LOCKED)`);
  }

  async insert(transaction: Transaction, key: NewKey): Promise<void> {
    await transaction.manager.insert(ApiKeyEntity, key);
  }

  /** The newest keys of an agent, ended ones included, before one of them. */
  async list(agentId: string, beforeId: string | undefined, limit: number): Promise<KeyView[]> {
    // The ids are ordered by time.
    return this.unitOfWork.query<KeyView>(sql`
      ${VIEW} WHERE k.agent_id = ${agentId} AND (${beforeId ?? null}::uuid IS NULL OR k.id < ${beforeId ?? null}::uuid)
      ORDER BY k.id DESC LIMIT ${limit}`);
  }

  /** The live keys of an agent, of one principal or of both, newest first: not more than the limit of live keys allows. */
  async live(agentId: string, principal: Principal | undefined): Promise<KeyView[]> {
    return this.unitOfWork.query<KeyView>(sql`
      ${VIEW} WHERE k.agent_id = ${agentId} AND ${LIVES} AND (${principal ?? null}::text IS NULL OR k.principal = ${principal ?? null})
      ORDER BY k.id DESC`);
  }

  /** Makes every other change of the agent's keys or status wait; whether it is active. */
  async lockAgent(transaction: Transaction, agentId: string): Promise<boolean> {
    const [row] = await transaction.query<{ status: string }>(sql`
      SELECT status FROM agents WHERE id = ${agentId} FOR NO KEY UPDATE`);
    return row?.status === 'active';
  }

  /** Makes every change of the agent's status wait, and other such holders not. */
  async holdAgent(transaction: Transaction, agentId: string): Promise<void> {
    await transaction.query(sql`SELECT FROM agents WHERE id = ${agentId} FOR SHARE`);
  }

  /** Whether the credential of this caller works now. */
  async isLiving(transaction: Transaction, caller: Caller): Promise<boolean> {
    const [row] = await transaction.query<{ lives: boolean }>(sql`SELECT ${credentialLives(caller)} AS lives`);
    return row?.lives === true;
  }

  /** Locks a live key of the agent, which must be locked already; undefined when there is none of that id. */
  async lockLiving(transaction: Transaction, agentId: string, keyId: string): Promise<LivingKey | undefined> {
    const [row] = await transaction.query<LivingKey>(sql`
      SELECT k.principal, k.label, nullif(coalesce(k.term_ends_at, k.expires_at), 'infinity') AS inherits,
        k.superseded_at IS NOT NULL AS superseded
      FROM api_keys k WHERE k.id = ${keyId} AND k.agent_id = ${agentId} AND ${LIVES} FOR UPDATE`);
    return row;
  }

  /** How many keys of the agent live, and how many of these are a person's. */
  async countLive(transaction: Transaction, agentId: string): Promise<{ all: number; human: number }> {
    const [row] = await transaction.query<{ all: number; human: number }>(sql`
      SELECT count(*)::integer AS all, (count(*) FILTER (WHERE k.principal = 'human'))::integer AS human
      FROM api_keys k WHERE k.agent_id = ${agentId} AND ${LIVES}`);
    return row ?? { all: 0, human: 0 };
  }

  /** Whether `time` is still to come, by the clock that ends keys. */
  async isToCome(transaction: Transaction, time: Date): Promise<boolean> {
    const [row] = await transaction.query<{ to_come: boolean }>(
      sql`SELECT ${time}::timestamptz > clock_timestamp() AS to_come`,
    );
    return row?.to_come === true;
  }

  /** A key of the agent and all that it, and they, made, ended ones included; without `spared` and what that made. */
  async familyOf(transaction: Transaction, agentId: string, keyId: string, spared?: string): Promise<string[]> {
    const family = await transaction.query<{ id: string }>(sql`
      WITH RECURSIVE family AS (
        SELECT first.id FROM api_keys first WHERE first.id = ${keyId} AND first.agent_id = ${agentId}
        UNION
        SELECT made.id FROM api_keys made JOIN family ON made.parent_id = family.id
        WHERE made.id IS DISTINCT FROM ${spared ?? null}::uuid
      ) SELECT id FROM family`);
    return family.map(({ id }) => id);
  }

  /** Revokes the live ones among these keys of an agent. Returns their ids, oldest first. */
  async revokeAmong(transaction: Transaction, agentId: string, keyIds: readonly string[]): Promise<string[]> {
    return this.revokeWhere(transaction, sql`k.agent_id = ${agentId} AND k.id = ANY(${[...keyIds]}::uuid[])`);
  }

  /** Whether a holder of that principal may end the agent's key of that id: a person each, an agent those of agents. */
  async isOf(transaction: Transaction, agentId: string, keyId: string, principal: Principal): Promise<boolean> {
    const rows = await transaction.query(sql`
      SELECT FROM api_keys WHERE id = ${keyId} AND agent_id = ${agentId} AND (principal = ${principal} OR ${principal} = 'human')`);
    return rows.length > 0;
  }

  /** Revokes the live keys of an agent: all, or one principal's, or all of these but one. Returns their ids. */
  async revokeAll(
    transaction: Transaction,
    agentId: string,
    { principal, except }: { principal?: Principal; except?: string } = {},
  ): Promise<string[]> {
    return this.revokeWhere(
      transaction,
      sql`k.agent_id = ${agentId} AND (${principal ?? null}::text IS NULL OR k.principal = ${principal ?? null})
        AND k.id IS DISTINCT FROM ${except ?? null}::uuid`,
    );
  }

  /** Lets a key that its holder has rotated end after so many seconds, never later than it would have. */
  async rotated(transaction: Transaction, keyId: string, overlapSeconds: number): Promise<void> {
    await transaction.query(sql`
      UPDATE api_keys SET term_ends_at = coalesce(term_ends_at, expires_at, 'infinity'), expires_at = ${endAfter(overlapSeconds)}
      WHERE id = ${keyId}`);
  }

  /** Lets the live keys of one principal end after so many seconds, never later than they would have; returns their ids, oldest first. */
  async supersede(
    transaction: Transaction,
    agentId: string,
    principal: Principal,
    overlapSeconds: number,
  ): Promise<string[]> {
    const ending = await transaction.query<{ id: string }>(sql`
      UPDATE api_keys SET expires_at = ${endAfter(overlapSeconds)}, term_ends_at = NULL, superseded_at = ${THIS_MOMENT}
      WHERE id IN (
        SELECT k.id FROM api_keys k WHERE k.agent_id = ${agentId} AND k.principal = ${principal} AND ${LIVES}
        ORDER BY k.id FOR UPDATE)
      RETURNING id`);
    return ending.map(({ id }) => id).sort();
  }

  private async revokeWhere(transaction: Transaction, which: Sql): Promise<string[]> {
    const revoked = await transaction.query<{ id: string }>(sql`
      UPDATE api_keys SET revoked_at = ${THIS_MOMENT}
      WHERE id IN (SELECT k.id FROM api_keys k WHERE ${which} AND ${LIVES} ORDER BY k.id FOR UPDATE)
      RETURNING id`);
    return revoked.map(({ id }) => id).sort();
  }
}

function endAfter(seconds: number): Sql {
  return sql`least(expires_at, ${THIS_MOMENT} + make_interval(secs => ${seconds}))`;
}

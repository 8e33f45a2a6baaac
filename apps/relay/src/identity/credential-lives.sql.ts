import sql, { type Sql } from 'sql-template-tag';
import type { Caller } from './caller';

/** SQL: whether the key `k` works, by the clock and not by the start of the transaction, which may have waited for a lock. */
export const LIVES = sql`k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())`;

/**
 * SQL: whether the credential that a write is made with still works. A write may have waited for a lock since authentication
 * looked, so the statement that writes asks again; it must not be the one that waited, which sees what was true before.
 */
export function credentialLives({ agentId, keyId, externalUntil }: Caller): Sql {
  const active = sql`EXISTS (SELECT FROM agents a WHERE a.id = ${agentId}::uuid AND a.status = 'active')`;
  if (externalUntil === 'revoked') return active;
  if (externalUntil !== undefined) return sql`${active} AND ${externalUntil}::timestamptz > clock_timestamp()`;
  return sql`${active} AND EXISTS (SELECT FROM api_keys k WHERE k.id = ${keyId}::uuid AND ${LIVES})`;
}

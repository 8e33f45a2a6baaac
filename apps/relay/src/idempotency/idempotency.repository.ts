import { Injectable } from '@nestjs/common';
import sql, { type Sql } from 'sql-template-tag';
import { UnitOfWork } from '../database';
import type { Claim } from './claim';

/** What a remembered write left behind: enough to rebuild its answer. */
export interface RememberedWrite {
  arguments_hash: Buffer;
  handoff_id: string;
  version: number;
  sequence_no: number;
  created_at: Date;
}

@Injectable()
export class IdempotencyRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** The live record of a claim's key, if there is one. */
  async find(claim: Claim): Promise<RememberedWrite | undefined> {
    const [row] = await this.unitOfWork.query<RememberedWrite>(sql`
      SELECT arguments_hash, handoff_id, version, sequence_no, created_at
      FROM idempotency_records
      WHERE agent_id = ${claim.agentId} AND principal = ${claim.principal}
        AND command = ${claim.command} AND key = ${claim.key} AND expires_at > now()`);
    return row;
  }

  /**
   * The INSERT that claims a key, as a member of the statement that writes. `facts` yields `handoff_id`, `version`,
   * `sequence_no` and `at` of the write, or nothing when it must not happen. The claim yields a row when the key
   * was free or expired; when another transaction holds it, it waits for that one and yields nothing.
   * Without a claim it passes `facts` through, so that the writing members always hang on it.
   */
  claimFrom(facts: Sql, claim: Claim | undefined): Sql {
    if (claim === undefined) return sql`SELECT 1 FROM ${facts}`;
    return sql`
      INSERT INTO idempotency_records AS held
        (agent_id, principal, command, key, arguments_hash, handoff_id, version, sequence_no, created_at, expires_at)
      SELECT ${claim.agentId}::uuid, ${claim.principal}, ${claim.command}, ${claim.key}, ${claim.argumentsHash}::bytea,
        handoff_id, version, sequence_no, at, at + interval '24 hours'
      FROM ${facts}
      ON CONFLICT (agent_id, principal, command, key) DO UPDATE SET
        arguments_hash = excluded.arguments_hash, handoff_id = excluded.handoff_id, version = excluded.version,
        sequence_no = excluded.sequence_no, created_at = excluded.created_at, expires_at = excluded.expires_at
      WHERE held.expires_at <= excluded.created_at
      RETURNING 1`;
  }
}

import { Injectable } from '@nestjs/common';
import sql, { type Sql } from 'sql-template-tag';
import { type Transaction, UnitOfWork } from '../../database';

export interface BlockView {
  handle: string;
  reason: string | null;
  createdAt: Date;
}

/** Whether either of two agents blocks the other. */
export interface BlockState {
  counterpartBlocks: boolean;
  callerBlocks: boolean;
}

/** The most blocks one agent can hold; enough for a whole team, and a bound for every list. */
export const MAX_BLOCKS = 1_000;

@Injectable()
export class BlocksRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Takes the lock that every send to the blocker shares, so that a block which returned wins over each send
   * that has not committed (domain.md 5). It does not conflict with foreign-key checks.
   */
  async lockBlocker(transaction: Transaction, blockerId: string): Promise<void> {
    await transaction.query(sql`SELECT FROM agents WHERE id = ${blockerId} FOR NO KEY UPDATE`);
  }

  /** Adds a block; false when it already stands. */
  async insert(
    transaction: Transaction,
    blockerId: string,
    blockedId: string,
    reason: string | undefined,
  ): Promise<boolean> {
    const added = await transaction.query(sql`
      INSERT INTO blocks (blocker_id, blocked_id, reason)
      SELECT ${blockerId}::uuid, ${blockedId}::uuid, ${reason ?? null}
      WHERE (SELECT count(*) FROM blocks WHERE blocker_id = ${blockerId}) < ${MAX_BLOCKS}
      ON CONFLICT DO NOTHING RETURNING blocked_id`);
    return added.length > 0;
  }

  /** Removes a block; false when none stood. */
  async delete(transaction: Transaction, blockerId: string, blockedId: string): Promise<boolean> {
    const removed = await transaction.query(sql`
      DELETE FROM blocks WHERE blocker_id = ${blockerId} AND blocked_id = ${blockedId} RETURNING blocked_id`);
    return removed.length > 0;
  }

  async find(blockerId: string, blockedId: string): Promise<BlockView | undefined> {
    const [row] = await this.unitOfWork.query<BlockView>(sql`
      ${BLOCK_VIEW} WHERE b.blocker_id = ${blockerId} AND b.blocked_id = ${blockedId}`);
    return row;
  }

  async list(blockerId: string): Promise<BlockView[]> {
    return this.unitOfWork.query<BlockView>(sql`${BLOCK_VIEW} WHERE b.blocker_id = ${blockerId} ORDER BY a.handle`);
  }

  /** SQL: whether no block stands between two agents, in either direction. */
  noneBetween(one: Sql, other: Sql): Sql {
    return sql`NOT EXISTS (SELECT FROM blocks
      WHERE (blocker_id, blocked_id) = (${one}, ${other}) OR (blocker_id, blocked_id) = (${other}, ${one}))`;
  }

  /** SQL: whether `blocker` blocks `blocked`. */
  stands(blocker: Sql, blocked: Sql): Sql {
    return sql`EXISTS (SELECT FROM blocks WHERE blocker_id = ${blocker} AND blocked_id = ${blocked})`;
  }
}

const BLOCK_VIEW = sql`
  SELECT a.handle, b.reason, b.created_at AS "createdAt" FROM blocks b JOIN agents a ON a.id = b.blocked_id`;

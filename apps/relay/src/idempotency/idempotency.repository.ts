import { Injectable } from '@nestjs/common';
import sql, { type Sql } from 'sql-template-tag';
import { type Transaction, UnitOfWork } from '../database';
import type { KeyReservation } from './key-reservation';

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

  /** The live record of a reservation's key, if there is one. Whoever is in a transaction asks on it: a second connection could be the last. */
  async find(
    reservation: KeyReservation,
    on: Transaction | UnitOfWork = this.unitOfWork,
  ): Promise<RememberedWrite | undefined> {
    const [row] = await on.query<RememberedWrite>(sql`
      SELECT arguments_hash, handoff_id, version, sequence_no, created_at
      FROM idempotency_records
      WHERE scope = ${reservation.scope} AND command = ${reservation.command} AND key = ${reservation.key} AND expires_at > now()`);
    return row;
  }

  /**
   * The INSERT that reserves a key, as a member of the statement that writes. `facts` yields `handoff_id`, `version`,
   * `sequence_no` and `at` of the write, or nothing when it must not happen. The reservation yields a row when the key
   * was free or expired; when another transaction holds it, it waits for that one and yields nothing.
   * Without a reservation it passes `facts` through, so that the writing members always hang on it.
   */
  reserveFrom(facts: Sql, reservation: KeyReservation | undefined): Sql {
    if (reservation === undefined) return sql`SELECT 1 FROM ${facts}`;
    return sql`
      INSERT INTO idempotency_records AS held
        (scope, command, key, arguments_hash, handoff_id, version, sequence_no, created_at, expires_at)
      SELECT ${reservation.scope}, ${reservation.command}, ${reservation.key}, ${reservation.argumentsHash}::bytea,
        handoff_id, version, sequence_no, at, at + interval '24 hours'
      FROM ${facts}
      ON CONFLICT (scope, command, key) DO UPDATE SET
        arguments_hash = excluded.arguments_hash, handoff_id = excluded.handoff_id, version = excluded.version,
        sequence_no = excluded.sequence_no, answer = NULL, created_at = excluded.created_at, expires_at = excluded.expires_at
      WHERE held.expires_at <= excluded.created_at
      RETURNING 1`;
  }

  /** Reserves the key of a write that needs no facts to be told again; false when it is on record already. */
  async reserve(transaction: Transaction, reservation: KeyReservation): Promise<boolean> {
    const fact = sql`(SELECT NULL::uuid AS handoff_id, NULL::integer AS version, NULL::integer AS sequence_no, clock_timestamp() AS at) fact`;
    return (await transaction.query(this.reserveFrom(fact, reservation))).length > 0;
  }

  async keepAnswer(transaction: Transaction, { scope, command, key }: KeyReservation, answer: object): Promise<void> {
    await transaction.query(sql`
      UPDATE idempotency_records SET answer = ${JSON.stringify(answer)}::json
      WHERE scope = ${scope} AND command = ${command} AND key = ${key}`);
  }

  async keptAnswer<Answer extends object>(
    transaction: Transaction,
    { scope, command, key }: KeyReservation,
  ): Promise<Answer | undefined> {
    const [row] = await transaction.query<{ answer: Answer | null }>(sql`
      SELECT answer FROM idempotency_records WHERE scope = ${scope} AND command = ${command} AND key = ${key}`);
    return row?.answer ?? undefined;
  }
}

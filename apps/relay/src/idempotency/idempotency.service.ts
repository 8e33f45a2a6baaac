import { RelayError } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database';
import type { Identity, CommandContext } from '../identity';
import type { ReplayableResult } from './replayable-result';
import { type KeyReservation, reservationFor, hashOf, type IdempotentCommand } from './key-reservation';
import { IdempotencyRepository, type RememberedWrite } from './idempotency.repository';

/** Thrown by a write whose key another transaction has reserved meanwhile; `executeIdempotent` then replays that one. */
export class KeyAlreadyReserved extends RelayError {
  constructor() {
    super('unavailable', 'The same idempotency key is being settled; send the request again.');
  }
}

/** The one idempotency contract of every write (domain.md 4). */
@Injectable()
export class IdempotencyService {
  constructor(private readonly records: IdempotencyRepository) {}

  /**
   * Reserves the key of a command inside the transaction of its write. `repeated` means that the write was done before
   * and must not be done again.
   * @throws RelayError duplicate_idempotency_key when the key was used with other arguments
   */
  async reserve(
    transaction: Transaction,
    context: CommandContext<Identity>,
    command: IdempotentCommand,
    args: object,
  ): Promise<'first' | 'repeated'> {
    const reservation = reservationFor(context, command, args);
    if (reservation === undefined || (await this.records.reserve(transaction, reservation))) return 'first';
    const remembered = await this.records.find(reservation, transaction);
    if (remembered === undefined) throw new KeyAlreadyReserved();
    if (!remembered.arguments_hash.equals(reservation.argumentsHash)) throw keyReused(reservation);
    return 'repeated';
  }

  /**
   * As `reserve`, for a write that issues a credential: that is shown once and never again.
   * @throws RelayError conflict when the write was done before
   */
  async reserveForCredential(
    transaction: Transaction,
    context: CommandContext<Identity>,
    command: IdempotentCommand,
    args: object,
  ): Promise<void> {
    if ((await this.reserve(transaction, context, command, args)) === 'first') return;
    throw new RelayError(
      'conflict',
      'This was done before under the same idempotency key. A credential is shown only once: issue another one.',
      {
        field: 'idempotency_key',
      },
    );
  }

  /**
   * Does `write` once per key, inside the transaction, and keeps its answer for whoever repeats it: for a write that finds
   * nothing to do the second time. A refusal rolls the reservation back with the rest.
   * @throws RelayError duplicate_idempotency_key when the key was used with other arguments
   */
  async answerOnce<Answer extends object>(
    transaction: Transaction,
    context: CommandContext<Identity>,
    command: IdempotentCommand,
    args: object,
    write: () => Promise<Answer>,
  ): Promise<ReplayableResult<Answer>> {
    if ((await this.reserve(transaction, context, command, args)) === 'repeated') {
      const kept = await this.keptAnswer<Answer>(transaction, context, command, args);
      if (kept === undefined) throw new Error(`The answer of ${command} was not kept.`);
      return { value: kept, replayed: true };
    }
    const value = await write();
    await this.keepAnswer(transaction, context, command, args, value);
    return { value, replayed: false };
  }

  /** Keeps what was answered, for a write whose answer cannot be rebuilt. */
  async keepAnswer(
    transaction: Transaction,
    context: CommandContext<Identity>,
    command: IdempotentCommand,
    args: object,
    answer: object,
  ): Promise<void> {
    const reservation = reservationFor(context, command, args);
    if (reservation !== undefined) await this.records.keepAnswer(transaction, reservation, answer);
  }

  /** What `keepAnswer` kept; undefined where an older version did the write. */
  async keptAnswer<Answer extends object>(
    transaction: Transaction,
    context: CommandContext<Identity>,
    command: IdempotentCommand,
    args: object,
  ): Promise<Answer | undefined> {
    const reservation = reservationFor(context, command, args);
    return reservation && (await this.records.keptAnswer<Answer>(transaction, reservation));
  }

  /** For an answer that writes nothing. @throws RelayError duplicate_idempotency_key when the key was used with other arguments */
  async refuseIfReused(transaction: Transaction, reservation: KeyReservation | undefined): Promise<void> {
    const remembered = reservation === undefined ? undefined : await this.records.find(reservation, transaction);
    if (reservation !== undefined && remembered?.arguments_hash.equals(reservation.argumentsHash) === false)
      throw keyReused(reservation);
  }

  /**
   * Does `write` once per key. When it is refused, or finds its key reserved, and the key is on record, `replay`
   * rebuilds the first answer instead: so a lost response never looks like a lost race. Refusals are not remembered.
   * `spellings` gives other ways to spell the same arguments, looked at only when they differ as they stand.
   * @throws RelayError duplicate_idempotency_key when the key was used with other arguments
   */
  async executeIdempotent<Result>(
    reservation: KeyReservation | undefined,
    write: () => Promise<Result>,
    replay: (remembered: RememberedWrite) => Promise<Result>,
    spellings: (remembered: RememberedWrite) => Promise<object[]> = () => Promise.resolve([]),
  ): Promise<Result> {
    try {
      return await write();
    } catch (refusal) {
      if (reservation === undefined || !(refusal instanceof RelayError)) throw refusal;
      const remembered = await this.records.find(reservation);
      if (remembered === undefined) throw refusal;
      const matches = (hash: Buffer): boolean => remembered.arguments_hash.equals(hash);
      if (!matches(reservation.argumentsHash) && !(await spellings(remembered)).some((args) => matches(hashOf(args)))) {
        throw keyReused(reservation);
      }
      return replay(remembered);
    }
  }
}

function keyReused(reservation: KeyReservation): RelayError {
  const message = `The idempotency key was already used for another ${reservation.command} with other arguments; use a new key for new work.`;
  return new RelayError('duplicate_idempotency_key', message, { reason: 'idempotency_key_reused' });
}

import { RelayError } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database';
import type { Identity, Invocation } from '../identity';
import type { Answered } from './answered';
import { type Claim, claimOf, hashOf, type IdempotentCommand } from './claim';
import { IdempotencyRepository, type RememberedWrite } from './idempotency.repository';

/** Thrown by a write whose key another transaction has claimed meanwhile; `once` then replays that one. */
export class KeyAlreadyClaimed extends RelayError {
  constructor() {
    super('unavailable', 'The same idempotency key is being settled; send the request again.');
  }
}

/** The one idempotency contract of every write (domain.md 4). */
@Injectable()
export class IdempotencyService {
  constructor(private readonly records: IdempotencyRepository) {}

  /**
   * Claims the key of an invocation inside the transaction of its write. `repeated` means that the write was done before
   * and must not be done again.
   * @throws RelayError duplicate_idempotency_key when the key was used with other arguments
   */
  async claim(
    transaction: Transaction,
    invocation: Invocation<Identity>,
    command: IdempotentCommand,
    args: object,
  ): Promise<'first' | 'repeated'> {
    const claim = claimOf(invocation, command, args);
    if (claim === undefined || (await this.records.claim(transaction, claim))) return 'first';
    const remembered = await this.records.find(claim, transaction);
    if (remembered === undefined) throw new KeyAlreadyClaimed();
    if (!remembered.arguments_hash.equals(claim.argumentsHash)) throw keyReused(claim);
    return 'repeated';
  }

  /**
   * As `claim`, for a write that issues a credential: that is shown once and never again.
   * @throws RelayError conflict when the write was done before
   */
  async claimCredential(
    transaction: Transaction,
    invocation: Invocation<Identity>,
    command: IdempotentCommand,
    args: object,
  ): Promise<void> {
    if ((await this.claim(transaction, invocation, command, args)) === 'first') return;
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
   * nothing to do the second time. A refusal rolls the claim back with the rest.
   * @throws RelayError duplicate_idempotency_key when the key was used with other arguments
   */
  async answerOnce<Answer extends object>(
    transaction: Transaction,
    invocation: Invocation<Identity>,
    command: IdempotentCommand,
    args: object,
    write: () => Promise<Answer>,
  ): Promise<Answered<Answer>> {
    if ((await this.claim(transaction, invocation, command, args)) === 'repeated') {
      const kept = await this.keptAnswer<Answer>(transaction, invocation, command, args);
      if (kept === undefined) throw new Error(`The answer of ${command} was not kept.`);
      return { value: kept, replayed: true };
    }
    const value = await write();
    await this.keepAnswer(transaction, invocation, command, args, value);
    return { value, replayed: false };
  }

  /** Keeps what was answered, for a write whose answer cannot be rebuilt. */
  async keepAnswer(
    transaction: Transaction,
    invocation: Invocation<Identity>,
    command: IdempotentCommand,
    args: object,
    answer: object,
  ): Promise<void> {
    const claim = claimOf(invocation, command, args);
    if (claim !== undefined) await this.records.keepAnswer(transaction, claim, answer);
  }

  /** What `keepAnswer` kept; undefined where an older version did the write. */
  async keptAnswer<Answer extends object>(
    transaction: Transaction,
    invocation: Invocation<Identity>,
    command: IdempotentCommand,
    args: object,
  ): Promise<Answer | undefined> {
    const claim = claimOf(invocation, command, args);
    return claim && (await this.records.keptAnswer<Answer>(transaction, claim));
  }

  /** For an answer that writes nothing. @throws RelayError duplicate_idempotency_key when the key was used with other arguments */
  async refuseIfReused(transaction: Transaction, claim: Claim | undefined): Promise<void> {
    const remembered = claim === undefined ? undefined : await this.records.find(claim, transaction);
    if (claim !== undefined && remembered?.arguments_hash.equals(claim.argumentsHash) === false) throw keyReused(claim);
  }

  /**
   * Does `write` once per key. When it is refused, or finds its key claimed, and the key is on record, `replay`
   * rebuilds the first answer instead: so a lost response never looks like a lost race. Refusals are not remembered.
   * `spellings` gives other ways to spell the same arguments, looked at only when they differ as they stand.
   * @throws RelayError duplicate_idempotency_key when the key was used with other arguments
   */
  async once<Result>(
    claim: Claim | undefined,
    write: () => Promise<Result>,
    replay: (remembered: RememberedWrite) => Promise<Result>,
    spellings: (remembered: RememberedWrite) => Promise<object[]> = () => Promise.resolve([]),
  ): Promise<Result> {
    try {
      return await write();
    } catch (refusal) {
      if (claim === undefined || !(refusal instanceof RelayError)) throw refusal;
      const remembered = await this.records.find(claim);
      if (remembered === undefined) throw refusal;
      const matches = (hash: Buffer): boolean => remembered.arguments_hash.equals(hash);
      if (!matches(claim.argumentsHash) && !(await spellings(remembered)).some((args) => matches(hashOf(args)))) {
        throw keyReused(claim);
      }
      return replay(remembered);
    }
  }
}

function keyReused(claim: Claim): RelayError {
  const message = `The idempotency key was already used for another ${claim.command} with other arguments; use a new key for new work.`;
  return new RelayError('duplicate_idempotency_key', message, { reason: 'idempotency_key_reused' });
}

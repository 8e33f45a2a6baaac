import { RelayError } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import type { Claim } from './claim';
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
   * Does `write` once per key. When it is refused, or finds its key claimed, and the key is on record, `replay`
   * rebuilds the first answer instead: so a lost response never looks like a lost race. Refusals are not remembered.
   * @throws RelayError duplicate_idempotency_key when the key was used with other arguments
   */
  async once<Result>(
    claim: Claim | undefined,
    write: () => Promise<Result>,
    replay: (remembered: RememberedWrite) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await write();
    } catch (refusal) {
      if (claim === undefined || !(refusal instanceof RelayError)) throw refusal;
      const remembered = await this.records.find(claim);
      if (remembered === undefined) throw refusal;
      if (!remembered.arguments_hash.equals(claim.argumentsHash)) throw keyReused(claim);
      return replay(remembered);
    }
  }
}

function keyReused(claim: Claim): RelayError {
  const message = `The idempotency key was already used for another ${claim.command} with other arguments; use a new key for new work.`;
  return new RelayError('duplicate_idempotency_key', message, { reason: 'idempotency_key_reused' });
}

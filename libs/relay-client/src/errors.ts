import type { ErrorDetails } from '@agentrelay/protocol';

/**
 * Refusals that tell of every attempt at the same write: the relay gives them after it has looked whether the write's
 * idempotency key is on record, or for what the request itself says. Anything else may come before that look.
 */
const OF_EVERY_ATTEMPT: readonly string[] = [
  'invalid_params',
  'invalid_intent_payload',
  'recipient_not_found',
  'teammate_blocked',
  'thread_not_found',
  'thread_terminal',
  'invalid_transition',
  'not_authorized_transition',
  'state_changed',
  'duplicate_idempotency_key',
];

/** The relay answered, and refused. Nothing was stored by this call. */
export class RelayRefusal extends Error {
  constructor(
    /** The symbol of the error catalogue; a newer relay may send one that this client does not know. */
    readonly symbol: string,
    message: string,
    readonly details: ErrorDetails,
    readonly httpStatus: number,
    readonly requestId: string | undefined,
    /** Whether the message is the relay's; else this client found it out. */
    readonly isWordedByRelay = false,
  ) {
    super(message);
    this.name = 'RelayRefusal';
  }

  /** Whether earlier attempts at the same write, under the same idempotency key, have stored nothing either. */
  get isOfEveryAttempt(): boolean {
    return OF_EVERY_ATTEMPT.includes(this.symbol);
  }
}

/** The relay was never reached, as often as it was tried: what was to be sent has not left, so nothing was stored. */
export class Unreachable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Unreachable';
  }
}

/**
 * The relay did not answer, or only with a transient failure, as often as it was asked; or it did not answer at first and
 * then refused without a word about that (`cause`). A write may or may not have been stored: repeat it with the same
 * idempotency key.
 */
export class OutcomeUnknown extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OutcomeUnknown';
  }
}

import type { ErrorDetails } from '@agentrelay/protocol';

/** The relay answered, and refused. Nothing was stored by this call. */
export class RelayRefusal extends Error {
  constructor(
    /** The symbol of the error catalogue; a newer relay may send one that this client does not know. */
    readonly symbol: string,
    message: string,
    readonly details: ErrorDetails,
    readonly httpStatus: number,
    readonly requestId: string | undefined,
  ) {
    super(message);
    this.name = 'RelayRefusal';
  }
}

/**
 * The relay did not answer, or only with a transient failure, as often as it was asked. A write may or may not have been
 * stored: repeat it with the same idempotency key.
 */
export class OutcomeUnknown extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OutcomeUnknown';
  }
}

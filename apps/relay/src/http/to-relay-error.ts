import { RelayError } from '@agentrelay/protocol';
import { HttpException } from '@nestjs/common';
import { isDatabaseAway } from '../database';

/** Turns whatever was thrown into an answer of the catalogue, without a word of the original's inside. */
export function toRelayError(error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  if (isDatabaseAway(error)) {
    return new RelayError(
      'unavailable',
      'The relay cannot reach its database. Try again, a write with the same idempotency key: it may have been stored.',
      {},
      { cause: error },
    );
  }
  return fromHttp(error) ?? internal(error);
}

function internal(cause: unknown): RelayError {
  const message =
    'The relay failed. Try again with the same idempotency key; give the request id to your administrator if it stays.';
  return new RelayError('internal', message, {}, { cause });
}

/** Refusals of the HTTP framework, before any of our code ran. */
function fromHttp(error: unknown): RelayError | undefined {
  const { statusCode } = (error ?? {}) as { statusCode?: unknown };
  const status = error instanceof HttpException ? error.getStatus() : statusCode;
  if (status === 415) return new RelayError('unsupported_media_type', 'Send the body as application/json.');
  if (status === 404) return new RelayError('not_found', 'There is nothing at this address.');
  if (status === 405) return new RelayError('method_not_allowed', 'This address does not take that HTTP method.');
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new RelayError('invalid_request', 'The request is not valid HTTP for this relay.');
  }
  return undefined;
}

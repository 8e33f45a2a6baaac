import { ERRORS, type RelayError } from '@agentrelay/protocol';

/** An error as an HTTP answer. */
export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: object;
}

/** Seconds after which a client may try an unavailable relay again. */
const RETRY_AFTER_SECONDS = 1;

/** The HTTP status that the REST and JSON-RPC APIs answer an error with. */
export function statusOf({ symbol }: RelayError): number {
  return ERRORS[symbol].http;
}

/** Whether the relay is to blame, and not its caller. */
export function isFailure(error: RelayError): boolean {
  return statusOf(error) >= 500;
}

/** An error as REST paths show it. */
export function restError(error: RelayError, requestId: string): ErrorAnswer {
  return {
    status: statusOf(error),
    headers: errorHeaders(error),
    body: { code: error.symbol, message: error.message, request_id: requestId, details: error.details },
  };
}

/** Headers that the status of an error calls for. */
export function errorHeaders(error: RelayError): Record<string, string> {
  if (error.symbol === 'unauthenticated') return { 'www-authenticate': 'Bearer realm="agentrelay"' };
  if (error.symbol === 'rate_limited') {
    const { limit, retry_after_ms: wait } = error.details;
    if (typeof wait !== 'number') return { 'retry-after': String(RETRY_AFTER_SECONDS) };
    const seconds = String(Math.ceil(wait / 1_000));
    return {
      'retry-after': seconds,
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': '0',
      'ratelimit-reset': seconds,
    };
  }
  if (error.symbol === 'unavailable') return { 'retry-after': String(RETRY_AFTER_SECONDS) };
  return {};
}

const BASE_MS = 200;
const MAX_RETRY_AFTER_MS = 10_000;

/** Milliseconds to wait before the nth attempt: what the relay asks for (bounded), else exponential with full jitter. */
export function pauseBefore(attempt: number, retryAfterMs: number | undefined): number {
  if (retryAfterMs !== undefined) return Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
  return Math.random() * BASE_MS * 2 ** (attempt - 1);
}

import type { Allowance } from './token-buckets';

/** The `RateLimit-*` headers of an answer. */
export function rateHeaders({ limit, remaining, retryAfterMs }: Allowance): Record<string, string> {
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(Math.ceil(retryAfterMs / 1_000)),
  };
}

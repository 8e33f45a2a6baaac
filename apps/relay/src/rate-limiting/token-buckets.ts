import { LRUCache } from 'lru-cache';

/** More callers than this share what is forgotten first: the bound of memory. */
const MAX_BUCKETS = 50_000;

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** What is left after a request for one token. */
export interface Allowance {
  granted: boolean;
  limit: number;
  remaining: number;
  /** Milliseconds until a token is there again; 0 when one is. */
  retryAfterMs: number;
}

/** Token buckets by name: each holds `burst` tokens and gains `perMinute` of them evenly. Kept in this process only. */
export class TokenBuckets {
  private readonly buckets = new LRUCache<string, Bucket>({ max: MAX_BUCKETS });

  constructor(
    private readonly perMinute: number,
    private readonly burst: number,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** Takes one token, if there is one. */
  take(name: string): Allowance {
    const bucket = this.filled(name);
    const granted = bucket.tokens >= 1;
    if (granted) bucket.tokens -= 1;
    const missing = Math.max(0, 1 - bucket.tokens);
    const retryAfterMs = granted ? 0 : Math.ceil((missing / this.perMinute) * 60_000);
    return { granted, limit: this.burst, remaining: Math.floor(bucket.tokens), retryAfterMs };
  }

  private filled(name: string): Bucket {
    const now = this.clock();
    const bucket = this.buckets.get(name) ?? { tokens: this.burst, filledAt: now };
    bucket.tokens = Math.min(this.burst, bucket.tokens + ((now - bucket.filledAt) * this.perMinute) / 60_000);
    bucket.filledAt = now;
    this.buckets.set(name, bucket);
    return bucket;
  }
}

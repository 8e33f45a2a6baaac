import { RelayError } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import { RatesConfig } from '../config';
import { type Allowance, TokenBuckets } from './token-buckets';

/** How often who may call; counted on each replica by itself. */
@Injectable()
export class RateLimits {
  /** Refusals since the start, by what was counted. */
  readonly refusals = { key: 0, address: 0 };
  private readonly keys: TokenBuckets;
  private readonly failures: TokenBuckets;

  constructor(config: RatesConfig) {
    this.keys = new TokenBuckets(config.perMinute, config.burst);
    this.failures = new TokenBuckets(config.failedAuthenticationsPerMinute, config.failedAuthenticationsPerMinute);
  }

  /** Counts a call of a key. @throws RelayError rate_limited */
  countCall(keyId: string): Allowance {
    const allowance = this.keys.take(keyId);
    if (allowance.granted) return allowance;
    this.refusals.key++;
    throw refusal('This key calls too often', allowance);
  }

  /** Counts a failed authentication from an address. @throws RelayError rate_limited instead of telling more guesses apart */
  countFailure(address: string): void {
    const allowance = this.failures.take(address);
    if (allowance.granted) return;
    this.refusals.address++;
    throw refusal('Too many failed authentications from this address', allowance);
  }
}

function refusal(what: string, { limit, retryAfterMs }: Allowance): RelayError {
  return new RelayError('rate_limited', `${what}; try again in ${Math.ceil(retryAfterMs / 1_000)} s.`, {
    limit,
    retry_after_ms: retryAfterMs,
  });
}

import { RelayError } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import { RatesConfig } from '../config';
import { type Allowance, TokenBuckets } from './token-buckets';

/** How often who may call; counted on each replica by itself. */
@Injectable()
export class RateLimits {
  /** Refusals since the start, by what was counted. */
  readonly refusals = { agent: 0, address: 0 };
  private readonly agents: TokenBuckets;
  private readonly failures: TokenBuckets;

  constructor(config: RatesConfig) {
    this.agents = new TokenBuckets(config.perMinute, config.burst);
    this.failures = new TokenBuckets(config.failedAuthenticationsPerMinute, config.failedAuthenticationsPerMinute);
  }

  /** Counts a call of an agent, or of the person behind it. @throws RelayError rate_limited */
  countCall(subject: string): Allowance {
    const allowance = this.agents.take(subject);
    if (allowance.granted) return allowance;
    this.refusals.agent++;
    throw refusal('This agent calls too often', allowance);
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

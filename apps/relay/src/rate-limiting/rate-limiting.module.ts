import { Module } from '@nestjs/common';
import { CostlyReads } from './costly-reads';
import { RateLimits } from './rate-limits';

/** How often callers may call. */
@Module({ providers: [CostlyReads, RateLimits], exports: [CostlyReads, RateLimits] })
export class RateLimitingModule {}

import { Module } from '@nestjs/common';
import { RateLimits } from './rate-limits';

/** How often callers may call. */
@Module({ providers: [RateLimits], exports: [RateLimits] })
export class RatesModule {}

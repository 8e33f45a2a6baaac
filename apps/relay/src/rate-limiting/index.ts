export { CostlyReads } from './costly-reads';
export { rateHeaders } from './rate-headers';
export { RateLimits } from './rate-limits';
export { RateLimitingModule } from './rate-limiting.module';

export { type Answered, replayedMember } from './answered';
export { type Claim, claimOf } from './claim';
export { IdempotencyModule } from './idempotency.module';
export { IdempotencyRepository, type RememberedWrite } from './idempotency.repository';
export { IdempotencyService, KeyAlreadyClaimed } from './idempotency.service';

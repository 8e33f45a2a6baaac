export { type ReplayableResult, replayedMember } from './replayable-result';
export { type KeyReservation, reservationFor } from './key-reservation';
export { IdempotencyModule } from './idempotency.module';
export { IdempotencyRepository, type RememberedWrite } from './idempotency.repository';
export { IdempotencyService, KeyAlreadyReserved } from './idempotency.service';

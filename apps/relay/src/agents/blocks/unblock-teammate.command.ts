import { Command } from '@nestjs/cqrs';
import type { Invocation } from '../../identity';
import type { Answered } from '../../idempotency';

/** Lets a teammate reach the caller again; returns the canonical handle. */
export class UnblockTeammate extends Command<Answered<string>> {
  constructor(
    readonly handle: string,
    readonly invocation: Invocation,
  ) {
    super();
  }
}

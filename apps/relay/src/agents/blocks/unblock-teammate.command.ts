import { Command } from '@nestjs/cqrs';
import type { Answered } from '../../idempotency';
import type { Invocation } from '../../identity';

/** Lets a teammate reach the caller again; returns the canonical handle. */
export class UnblockTeammate extends Command<Answered<string>> {
  constructor(
    readonly handle: string,
    readonly invocation: Invocation,
  ) {
    super();
  }
}

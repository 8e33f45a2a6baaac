import { Command } from '@nestjs/cqrs';
import type { Answered } from '../../idempotency';
import type { Administrator, Invocation } from '../../identity';

/** Somebody leaves: the agent's keys die, its open work is given back, nobody can write to it. Returns the canonical handle. */
export class DisableAgent extends Command<Answered<string>> {
  constructor(
    readonly handle: string,
    readonly invocation: Invocation<Administrator>,
  ) {
    super();
  }
}

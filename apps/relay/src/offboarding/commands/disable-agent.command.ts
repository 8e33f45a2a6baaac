import { Command } from '@nestjs/cqrs';
import type { ReplayableResult } from '../../idempotency';
import type { Administrator, CommandContext } from '../../identity';

/** Somebody leaves: the agent's keys die, its open work is given back, nobody can write to it. Returns the canonical handle. */
export class DisableAgent extends Command<ReplayableResult<string>> {
  constructor(
    readonly handle: string,
    readonly context: CommandContext<Administrator>,
  ) {
    super();
  }
}

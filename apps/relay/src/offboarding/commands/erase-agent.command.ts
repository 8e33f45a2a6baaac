import { Command } from '@nestjs/cqrs';
import type { ReplayableResult } from '../../idempotency';
import type { Administrator, CommandContext } from '../../identity';

/** Removes who a person was who has left; what they wrote stays with those they wrote to. Returns the pseudonym. */
export class EraseAgent extends Command<ReplayableResult<string>> {
  constructor(
    readonly handle: string,
    readonly context: CommandContext<Administrator>,
  ) {
    super();
  }
}

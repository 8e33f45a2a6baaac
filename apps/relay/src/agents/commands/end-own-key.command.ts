import { Command } from '@nestjs/cqrs';
import type { ReplayableResult } from '../../idempotency';
import type { CommandContext } from '../../identity';

/** The holder of a key ends a key of the same agent, with what that made unless it is to be kept. Returns the ids that ended. */
export class EndOwnKey extends Command<ReplayableResult<string[]>> {
  constructor(
    readonly keyId: string,
    readonly keepDescendants: boolean,
    readonly context: CommandContext,
  ) {
    super();
  }
}

import { Command } from '@nestjs/cqrs';
import type { ReplayableResult } from '../../idempotency';
import type { CommandContext } from '../../identity';

/** Lets a teammate reach the caller again; returns the canonical handle. */
export class UnblockTeammate extends Command<ReplayableResult<string>> {
  constructor(
    readonly handle: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

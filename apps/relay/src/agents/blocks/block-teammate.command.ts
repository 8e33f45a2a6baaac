import { Command } from '@nestjs/cqrs';
import type { ReplayableResult } from '../../idempotency';
import type { CommandContext } from '../../identity';
import type { BlockView } from './blocks.repository';

/** Stops a teammate from reaching the caller; a block that already stands is left as it is. */
export class BlockTeammate extends Command<ReplayableResult<BlockView>> {
  constructor(
    readonly handle: string,
    readonly reason: string | undefined,
    readonly context: CommandContext,
  ) {
    super();
  }
}

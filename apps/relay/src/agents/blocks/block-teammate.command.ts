import { Command } from '@nestjs/cqrs';
import type { Answered } from '../../idempotency';
import type { Invocation } from '../../identity';
import type { BlockView } from './blocks.repository';

/** Stops a teammate from reaching the caller; a block that already stands is left as it is. */
export class BlockTeammate extends Command<Answered<BlockView>> {
  constructor(
    readonly handle: string,
    readonly reason: string | undefined,
    readonly invocation: Invocation,
  ) {
    super();
  }
}

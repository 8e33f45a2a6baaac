import { Command } from '@nestjs/cqrs';
import type { ReplayableResult } from '../../idempotency';
import type { CommandContext } from '../../identity';
import type { AgentProfile, CardContent } from '../agent-profile';

/** Replaces the given parts of the caller's own card. */
export class UpdateCard extends Command<ReplayableResult<AgentProfile>> {
  constructor(
    readonly card: Partial<CardContent>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

import { Command } from '@nestjs/cqrs';
import type { ReplayableResult } from '../../idempotency';
import type { Administrator, CommandContext } from '../../identity';
import type { AgentProfile } from '../agent-profile';

/** An administrator corrects an agent's name or role, or lets a disabled one work again (its old keys stay dead). */
export class UpdateAgent extends Command<ReplayableResult<AgentProfile>> {
  constructor(
    readonly handle: string,
    readonly changes: { displayName: string | undefined; role: string | undefined; enable: boolean },
    readonly context: CommandContext<Administrator>,
  ) {
    super();
  }
}

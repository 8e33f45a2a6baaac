import { Command } from '@nestjs/cqrs';
import type { Answered } from '../../idempotency';
import type { Administrator, Invocation } from '../../identity';
import type { AgentProfile } from '../agent-profile';

/** An administrator corrects an agent's name or role, or lets a disabled one work again (its old keys stay dead). */
export class UpdateAgent extends Command<Answered<AgentProfile>> {
  constructor(
    readonly handle: string,
    readonly changes: { displayName: string | undefined; role: string | undefined; enable: boolean },
    readonly invocation: Invocation<Administrator>,
  ) {
    super();
  }
}

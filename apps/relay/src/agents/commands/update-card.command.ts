import { Command } from '@nestjs/cqrs';
import type { Answered } from '../../idempotency';
import type { Invocation } from '../../identity';
import type { AgentProfile, CardContent } from '../agent-profile';

/** Replaces the given parts of the caller's own card. */
export class UpdateCard extends Command<Answered<AgentProfile>> {
  constructor(
    readonly card: Partial<CardContent>,
    readonly invocation: Invocation,
  ) {
    super();
  }
}

import { Command } from '@nestjs/cqrs';
import type { Administrator, Invocation } from '../../identity';
import type { CardContent } from '../agent-profile';

export interface RegisteredAgent {
  agentId: string;
  handle: string;
  /** Shown once. */
  apiKey: string;
}

/** Registers an agent, attaches it to its owner and issues its first key. */
export class RegisterAgent extends Command<RegisteredAgent> {
  constructor(
    readonly agent: { handle: string; email: string | undefined; displayName: string; role: string } & CardContent,
    readonly invocation: Invocation<Administrator>,
  ) {
    super();
  }
}

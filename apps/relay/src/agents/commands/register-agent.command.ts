import { Command } from '@nestjs/cqrs';
import type { Administrator, CommandContext } from '../../identity';
import type { NewcomerProfile, RegisteredAgent } from '../agent-registrar';

/** Registers an agent, attaches it to its owner and issues its first key. */
export class RegisterAgent extends Command<RegisteredAgent> {
  constructor(
    readonly agent: NewcomerProfile,
    readonly context: CommandContext<Administrator>,
  ) {
    super();
  }
}

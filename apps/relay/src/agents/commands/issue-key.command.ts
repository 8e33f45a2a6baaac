import { Command } from '@nestjs/cqrs';
import type { Administrator, CommandContext, IssuedKey, KeyTerms } from '../../identity';

/** Adds a key to an agent. */
export class IssueKey extends Command<IssuedKey> {
  constructor(
    readonly handle: string,
    readonly terms: KeyTerms,
    readonly context: CommandContext<Administrator>,
  ) {
    super();
  }
}

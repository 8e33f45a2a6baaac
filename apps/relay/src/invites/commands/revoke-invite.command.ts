import { Command } from '@nestjs/cqrs';
import type { Administrator, CommandContext } from '../../identity';

/** Withdraws an invite that nobody has used yet. */
export class RevokeInvite extends Command<void> {
  constructor(
    readonly jti: string,
    readonly context: CommandContext<Administrator>,
  ) {
    super();
  }
}

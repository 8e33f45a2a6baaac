import { Command } from '@nestjs/cqrs';
import type { Administrator, Invocation } from '../../identity';

/** Withdraws an invite that nobody has used yet. */
export class RevokeInvite extends Command<void> {
  constructor(
    readonly jti: string,
    readonly invocation: Invocation<Administrator>,
  ) {
    super();
  }
}

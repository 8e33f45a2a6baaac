import { Command } from '@nestjs/cqrs';
import type { RegisteredAgent } from '../../agents';

/** The newcomer registers the handle that an invite permits, or gets a new key of the agent that has it. */
export class RedeemInvite extends Command<RegisteredAgent> {
  constructor(
    readonly jti: string,
    readonly token: string,
    readonly displayName: string | undefined,
    readonly requestId: string,
  ) {
    super();
  }
}

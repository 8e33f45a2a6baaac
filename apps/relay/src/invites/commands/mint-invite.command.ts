import { Command } from '@nestjs/cqrs';
import type { Administrator, CommandContext } from '../../identity';

export interface MintedInvite {
  jti: string;
  /** What follows `#` in the link, with the secret in it: shown once. */
  fragment: string;
  expiresAt: Date;
  /** Whether the handle is registered: then it gives a new key, and the agent's keys end when it is redeemed. */
  replacesKeys: boolean;
}

/** Permits somebody to register a handle, once; or to get a new key of an agent that is registered and active. */
export class MintInvite extends Command<MintedInvite> {
  constructor(
    readonly invite: {
      handle: string;
      role: string;
      inviterHandle: string;
      email: string | undefined;
      expiresInSeconds: number;
    },
    readonly context: CommandContext<Administrator>,
  ) {
    super();
  }
}

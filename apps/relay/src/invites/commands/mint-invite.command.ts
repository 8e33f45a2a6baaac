import { Command } from '@nestjs/cqrs';
import type { Administrator, Invocation } from '../../identity';

export interface MintedInvite {
  jti: string;
  /** What follows `#` in the link, with the secret in it: shown once. */
  fragment: string;
  expiresAt: Date;
}

/** Permits somebody to register a handle, once. */
export class MintInvite extends Command<MintedInvite> {
  constructor(
    readonly invite: {
      handle: string;
      role: string;
      inviterHandle: string;
      email: string | undefined;
      expiresInSeconds: number;
    },
    readonly invocation: Invocation<Administrator>,
  ) {
    super();
  }
}

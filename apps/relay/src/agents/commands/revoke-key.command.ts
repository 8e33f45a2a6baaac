import { Command } from '@nestjs/cqrs';
import type { Administrator, Invocation } from '../../identity';

/** Makes a key useless, on every replica within a second. */
export class RevokeKey extends Command<void> {
  constructor(
    readonly handle: string,
    readonly keyId: string,
    readonly invocation: Invocation<Administrator>,
  ) {
    super();
  }
}

import { Command } from '@nestjs/cqrs';
import type { Answered } from '../../idempotency';
import type { Administrator, Invocation } from '../../identity';

/**
 * Makes a key useless, on every replica within a second, with what its holder made with it unless that is to be kept. Returns
 * the ids of the keys that ended.
 */
export class RevokeKey extends Command<Answered<string[]>> {
  constructor(
    readonly handle: string,
    readonly keyId: string,
    readonly keepDescendants: boolean,
    readonly invocation: Invocation<Administrator>,
  ) {
    super();
  }
}

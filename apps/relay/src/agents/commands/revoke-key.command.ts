import { Command } from '@nestjs/cqrs';
import type { ReplayableResult } from '../../idempotency';
import type { Administrator, CommandContext } from '../../identity';

/**
 * Makes a key useless, on every replica within a second, with what its holder made with it unless that is to be kept. Returns
 * the ids of the keys that ended.
 */
export class RevokeKey extends Command<ReplayableResult<string[]>> {
  constructor(
    readonly handle: string,
    readonly keyId: string,
    readonly keepDescendants: boolean,
    readonly context: CommandContext<Administrator>,
  ) {
    super();
  }
}

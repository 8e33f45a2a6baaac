import { Command } from '@nestjs/cqrs';
import type { Answered } from '../../idempotency';
import type { Invocation } from '../../identity';

/** The holder of a key ends a key of the same agent, with what that made unless it is to be kept. Returns the ids that ended. */
export class EndOwnKey extends Command<Answered<string[]>> {
  constructor(
    readonly keyId: string,
    readonly keepDescendants: boolean,
    readonly invocation: Invocation,
  ) {
    super();
  }
}

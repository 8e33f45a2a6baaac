import { Command } from '@nestjs/cqrs';
import type { Answered } from '../../idempotency';
import type { Administrator, Invocation } from '../../identity';

/** Removes who a person was who has left; what they wrote stays with those they wrote to. Returns the pseudonym. */
export class EraseAgent extends Command<Answered<string>> {
  constructor(
    readonly handle: string,
    readonly invocation: Invocation<Administrator>,
  ) {
    super();
  }
}

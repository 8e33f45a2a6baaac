import { Command } from '@nestjs/cqrs';
import type { Invocation } from '../../identity';

/** Lets a teammate reach the caller again; returns the canonical handle. */
export class UnblockTeammate extends Command<string> {
  constructor(
    readonly handle: string,
    readonly invocation: Invocation,
  ) {
    super();
  }
}

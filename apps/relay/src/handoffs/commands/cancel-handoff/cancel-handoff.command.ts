import { Command } from '@nestjs/cqrs';
import type { Invocation } from '../../../identity';
import type { TransitionResult } from '../../handoff.views';

export interface CancelHandoffArguments {
  handoffId: string;
  expectedVersion: number | undefined;
}

/** The sender withdraws work that nobody has accepted yet. */
export class CancelHandoff extends Command<TransitionResult> {
  constructor(
    readonly args: CancelHandoffArguments,
    readonly invocation: Invocation,
  ) {
    super();
  }
}

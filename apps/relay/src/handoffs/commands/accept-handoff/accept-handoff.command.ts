import { Command } from '@nestjs/cqrs';
import type { Invocation } from '../../../identity';
import type { TransitionResult } from '../../handoff.views';

export interface AcceptHandoffArguments {
  handoffId: string;
  /** Names the session that accepts, so that its own repetition is told apart from a lost race. */
  sessionId: string | undefined;
  includeThread: boolean;
  expectedVersion: number | undefined;
}

/** The recipient takes the work on. */
export class AcceptHandoff extends Command<TransitionResult> {
  constructor(
    readonly args: AcceptHandoffArguments,
    readonly invocation: Invocation,
  ) {
    super();
  }
}

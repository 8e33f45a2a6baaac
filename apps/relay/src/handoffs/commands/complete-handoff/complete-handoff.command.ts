import type { Artifact, Outcome } from '@agentrelay/protocol';
import { Command } from '@nestjs/cqrs';
import type { Invocation } from '../../../identity';
import type { TransitionResult } from '../../handoff.views';

export interface CompleteHandoffArguments {
  handoffId: string;
  resultSummary: string;
  artifacts: Artifact[];
  outcome: Outcome;
  expectedVersion: number | undefined;
}

/** The recipient closes the thread with a result, a negative one included. */
export class CompleteHandoff extends Command<TransitionResult> {
  constructor(
    readonly args: CompleteHandoffArguments,
    readonly invocation: Invocation,
  ) {
    super();
  }
}

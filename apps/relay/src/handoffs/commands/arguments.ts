import type { Artifact, Intent, Outcome, WireProposedAction } from '@agentrelay/protocol';

export interface SendHandoffArguments {
  /** A full handle, or a bare name where only one active agent has it. */
  recipient: string;
  intent: Intent;
  summary: string;
  artifacts: Artifact[];
  proposedAction: WireProposedAction | undefined;
  payload: Record<string, unknown>;
  metadata: Record<string, unknown>;
}

export interface AcceptHandoffArguments {
  handoffId: string;
  /** Names the session that accepts, so that its own repetition is told apart from a lost race. */
  sessionId: string | undefined;
  includeThread: boolean;
  expectedVersion: number | undefined;
}

export interface CompleteHandoffArguments {
  handoffId: string;
  resultSummary: string;
  artifacts: Artifact[];
  outcome: Outcome;
  expectedVersion: number | undefined;
}

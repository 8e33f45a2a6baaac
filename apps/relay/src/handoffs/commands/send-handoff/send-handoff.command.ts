import type { Artifact, Intent, WireProposedAction } from '@agentrelay/protocol';
import { Command } from '@nestjs/cqrs';
import type { Invocation } from '../../../identity';
import type { SentHandoff } from '../../handoff.views';

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

/** Hands work to a teammate: opens a thread whose first message is the summary. */
export class SendHandoff extends Command<SentHandoff> {
  constructor(
    readonly args: SendHandoffArguments,
    readonly invocation: Invocation,
  ) {
    super();
  }
}

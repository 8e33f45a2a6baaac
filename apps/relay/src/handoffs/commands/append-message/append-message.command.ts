import type { Artifact } from '@agentrelay/protocol';
import { Command } from '@nestjs/cqrs';
import type { Invocation } from '../../../identity';
import type { AppendedMessage } from '../../handoff.views';

export interface AppendMessageArguments {
  handoffId: string;
  body: string;
  payload: Record<string, unknown>;
  artifacts: Artifact[];
}

/** Either participant says something on a live thread. */
export class AppendMessage extends Command<AppendedMessage> {
  constructor(
    readonly args: AppendMessageArguments,
    readonly invocation: Invocation,
  ) {
    super();
  }
}

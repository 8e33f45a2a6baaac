import { Command } from '@nestjs/cqrs';
import type { Invocation } from '../../../identity';
import type { AppendedMessage } from '../../handoff.views';

export interface AppendDraftArguments {
  handoffId: string;
  rationale: string;
  draft: { drafted_diff: string; drafted_files: string[]; alternatives_considered?: string };
}

/** The recipient of an accepted proposal records what it would change, for both to see; nothing is applied. */
export class AppendDraft extends Command<AppendedMessage> {
  constructor(
    readonly args: AppendDraftArguments,
    readonly invocation: Invocation,
  ) {
    super();
  }
}

import { RelayError } from '@agentrelay/protocol';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { v7 as uuidv7 } from 'uuid';
import { reservationFor } from '../../idempotency';
import type { CommandContext } from '../../identity';
import type { AppendedMessage } from '../handoff.views';
import type { LockedHandoff } from '../locked-handoff';
import { type Append, ThreadAppender } from '../write/thread-appender';
import type { ThreadAction } from '../write/thread-write';
import { APPEND } from './append-message';

export interface AppendDraftArguments {
  handoffId: string;
  rationale: string;
  draft: { drafted_diff: string; drafted_files: string[]; alternatives_considered?: string };
}

/** The recipient of an accepted proposal records what it would change, for both to see; nothing is applied. */
export class AppendDraft extends Command<AppendedMessage> {
  constructor(
    readonly args: AppendDraftArguments,
    readonly context: CommandContext,
  ) {
    super();
  }
}

export const DRAFT: ThreadAction = {
  ...APPEND,
  verb: 'draft',
  rule: { by: ['recipient'], pending: 'invalid_transition', accepted: 'allowed' },
};

@CommandHandler(AppendDraft)
export class AppendDraftHandler implements ICommandHandler<AppendDraft> {
  constructor(private readonly appender: ThreadAppender) {}

  /** @throws RelayError as an append does, and invalid_intent_payload, not_authorized_transition, invalid_transition */
  execute({ args, context }: AppendDraft): Promise<AppendedMessage> {
    const reservation = reservationFor(context, 'draft.append', args);
    const { handoffId, rationale: body, draft } = args;
    const append: Append = {
      action: DRAFT,
      event: 'draft.appended',
      check: refuseUnlessProposed,
      message: {
        id: uuidv7(),
        authorId: context.by.agentId,
        kind: 'draft',
        body,
        payload: { ...draft, rationale: body },
        artifacts: [],
      },
    };
    return this.appender.append(handoffId, append, reservation, context);
  }
}

function refuseUnlessProposed({ intent }: LockedHandoff): void {
  if (intent === 'propose_action') return;
  throw new RelayError(
    'invalid_intent_payload',
    `Only a propose_action takes a draft; this handoff's intent is ${intent}. Send a message instead.`,
    { intent },
  );
}

import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { claimOf } from '../../../idempotency';
import type { AppendedMessage } from '../../handoff.views';
import { ThreadAppender, type ThreadContent } from '../../thread-appender';
import { AppendDraft } from './append-draft.command';

@CommandHandler(AppendDraft)
export class AppendDraftHandler implements ICommandHandler<AppendDraft> {
  constructor(private readonly appender: ThreadAppender) {}

  /** @throws RelayError as an append does, and invalid_intent_payload, not_authorized_transition, invalid_transition */
  execute({ args, invocation }: AppendDraft): Promise<AppendedMessage> {
    const claim = claimOf(invocation, 'draft.append', args);
    const content: ThreadContent = {
      kind: 'draft',
      body: args.rationale,
      payload: { ...args.draft, rationale: args.rationale },
      artifacts: [],
    };
    return this.appender.append(args.handoffId, content, claim, invocation);
  }
}

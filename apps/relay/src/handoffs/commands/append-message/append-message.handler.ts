import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { claimOf } from '../../../idempotency';
import type { AppendedMessage } from '../../handoff.views';
import { ThreadAppender } from '../../thread-appender';
import { AppendMessage } from './append-message.command';

@CommandHandler(AppendMessage)
export class AppendMessageHandler implements ICommandHandler<AppendMessage> {
  constructor(private readonly appender: ThreadAppender) {}

  /** @throws RelayError thread_not_found, recipient_not_found, teammate_blocked, thread_terminal, invalid_params when the thread is full */
  execute({ args, invocation }: AppendMessage): Promise<AppendedMessage> {
    const claim = claimOf(invocation, 'message.append', args);
    const { handoffId, body, payload, artifacts } = args;
    return this.appender.append(handoffId, { kind: 'message', body, payload, artifacts }, claim, invocation);
  }
}

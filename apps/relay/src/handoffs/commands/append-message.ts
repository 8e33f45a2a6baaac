import type { Artifact } from '@agentrelay/protocol';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { v7 as uuidv7 } from 'uuid';
import { reservationFor } from '../../idempotency';
import type { CommandContext } from '../../identity';
import type { AppendedMessage } from '../handoff.views';
import { ThreadAppender } from '../write/thread-appender';
import type { ThreadAction } from '../write/thread-write';

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
    readonly context: CommandContext,
  ) {
    super();
  }
}

export const APPEND: ThreadAction = {
  verb: 'append to',
  rule: { by: ['sender', 'recipient'], pending: 'allowed', accepted: 'allowed' },
  addressesCounterpart: true,
  refusedByBlock: true,
  movesVersion: false,
  boundedByThread: true,
};

@CommandHandler(AppendMessage)
export class AppendMessageHandler implements ICommandHandler<AppendMessage> {
  constructor(private readonly appender: ThreadAppender) {}

  /** @throws RelayError thread_not_found, recipient_not_found, teammate_blocked, thread_terminal, invalid_params when the thread is full */
  execute({ args, context }: AppendMessage): Promise<AppendedMessage> {
    const reservation = reservationFor(context, 'message.append', args);
    const { handoffId, body, payload, artifacts } = args;
    const message = {
      id: uuidv7(),
      authorId: context.by.agentId,
      kind: 'message',
      body,
      payload,
      artifacts,
    } as const;
    const append = { action: APPEND, event: 'message.appended', message } as const;
    return this.appender.append(handoffId, append, reservation, context);
  }
}

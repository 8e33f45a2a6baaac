import {
  type Artifact,
  canonicalHandle,
  type Intent,
  INTENTS,
  LIMITS,
  RECIPIENT_PATTERN,
  RelayError,
  type WireAppended,
  type WireProposedAction,
  type WireSent,
} from '@agentrelay/protocol';
import { CommandBus } from '@nestjs/cqrs';
import { PublicUrl } from '../../config';
import { Artifacts, IsUuid, JsonObject, IsIn, Optional, ValidateWith, stringFault } from '../../http';
import { AppendMessage, SendHandoff, wireAppended, wireSent } from '../../handoffs';
import type { CommandContext } from '../../identity';
import { withoutIdempotencyKey } from '../codec/idempotency-key';
import { MethodParams } from '../method.params';
import { IsProposedAction } from '../proposed-action';
import { type RpcHandler, RpcMethod } from '../rpc-method.decorator';
import { IsTextMessage, type TextMessage, textOf } from '../text-message';

function recipientFault(value: unknown): string | undefined {
  return (
    stringFault(value, 1, LIMITS.handleLength) ??
    (RECIPIENT_PATTERN.test(value as string) ? undefined : 'must be a handle like name@team')
  );
}

export class MessageSendParams extends MethodParams {
  /** Present to append to that thread, absent to open a new one. */
  @Optional()
  @IsUuid()
  task_id?: string;

  @Optional()
  @ValidateWith('handle, or a bare name where only one active agent has it', recipientFault)
  recipient?: string;

  @Optional()
  @IsIn(INTENTS)
  intent?: Intent;

  @IsTextMessage()
  message!: TextMessage;

  @Optional()
  @Artifacts('artifactsPerMessage')
  artifacts?: Artifact[];

  @Optional()
  @IsProposedAction()
  proposed_action?: WireProposedAction;

  @Optional()
  @JsonObject('payloadBytes')
  payload?: Record<string, unknown>;
}

/** Opens a thread with a handoff, or says something on one. */
@RpcMethod({
  name: 'message/send',
  summary: 'Opens a thread with a handoff; with `task_id`, adds a message to one.',
  params: MessageSendParams,
  writes: true,
})
export class MessageSendMethod implements RpcHandler<MessageSendParams> {
  constructor(
    private readonly commands: CommandBus,
    private readonly publicUrl: PublicUrl,
  ) {}

  handle(params: MessageSendParams, context: CommandContext): Promise<WireSent | WireAppended> {
    return params.task_id === undefined
      ? this.send(params, context)
      : this.append(params.task_id.toLowerCase(), params, context);
  }

  private async send(params: MessageSendParams, context: CommandContext): Promise<WireSent> {
    if (params.recipient === undefined) {
      throw new RelayError('invalid_params', 'recipient is required to open a thread; task_id appends to one.', {
        field: 'recipient',
      });
    }
    const args = {
      recipient: canonicalHandle(params.recipient),
      intent: params.intent ?? 'inform',
      summary: boundedText(params.message, LIMITS.summary),
      artifacts: params.artifacts ?? [],
      proposedAction: params.proposed_action,
      payload: params.payload ?? {},
      metadata: withoutIdempotencyKey(params.metadata ?? {}),
    };
    const sent = await this.commands.execute(new SendHandoff(args, context));
    return wireSent(sent, this.publicUrl.inbox(sent.id));
  }

  private async append(handoffId: string, params: MessageSendParams, context: CommandContext): Promise<WireAppended> {
    const opening = (['recipient', 'intent', 'proposed_action'] as const).find((name) => params[name] !== undefined);
    if (opening !== undefined) {
      throw new RelayError(
        'invalid_params',
        `${opening} belongs to a new thread; leave it out, or leave out task_id.`,
        { field: opening },
      );
    }
    const args = {
      handoffId,
      body: boundedText(params.message, LIMITS.messageBody),
      // Older clients send what they attach as metadata.
      payload: params.payload ?? withoutIdempotencyKey(params.metadata ?? {}),
      artifacts: params.artifacts ?? [],
    };
    return wireAppended(await this.commands.execute(new AppendMessage(args, context)));
  }
}

function boundedText(message: TextMessage, max: number): string {
  const text = textOf(message);
  const fault = stringFault(text, 1, max);
  if (fault !== undefined) {
    throw new RelayError('invalid_params', `The text of message ${fault}; attach longer content as artifacts.`, {
      field: 'message',
      limit: max,
    });
  }
  return text;
}

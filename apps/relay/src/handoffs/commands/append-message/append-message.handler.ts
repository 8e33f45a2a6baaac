import { LIMITS, RelayError } from '@agentrelay/protocol';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { v7 as uuidv7 } from 'uuid';
import { blockedBy, recipientNotFound, refuseIfBlocked } from '../../../agents';
import { type Transaction, UnitOfWork } from '../../../database';
import { type Claim, claimOf, IdempotencyService, type RememberedWrite } from '../../../idempotency';
import type { AppendedMessage } from '../../handoff.views';
import { HandoffsRepository } from '../../handoffs.repository';
import { lostUpdate, refuseUnlessAllowed, threadNotFound } from '../../refusals';
import { AppendMessage } from './append-message.command';

@CommandHandler(AppendMessage)
export class AppendMessageHandler implements ICommandHandler<AppendMessage> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly idempotency: IdempotencyService,
    private readonly handoffs: HandoffsRepository,
  ) {}

  /** @throws RelayError thread_not_found, recipient_not_found, teammate_blocked, thread_terminal, invalid_params when the thread is full */
  async execute(command: AppendMessage): Promise<AppendedMessage> {
    const claim = claimOf(command.invocation, 'message.append', command.args);
    return this.idempotency.once(
      claim,
      () => this.unitOfWork.run((transaction) => this.append(transaction, claim, command)),
      (remembered) => this.unitOfWork.run((transaction) => this.replay(transaction, remembered)),
    );
  }

  private async append(
    transaction: Transaction,
    claim: Claim | undefined,
    { args, invocation }: AppendMessage,
  ): Promise<AppendedMessage> {
    const handoff = await this.handoffs.lock(transaction, args.handoffId, invocation.by);
    if (handoff === undefined) throw threadNotFound(args.handoffId);
    const { counterpart } = handoff;
    if (!counterpart.active) throw recipientNotFound(counterpart.handle);
    refuseIfBlocked(counterpart.handle, handoff.blocks);
    refuseUnlessAllowed('append', handoff);
    if (handoff.messageCount >= LIMITS.messagesPerThread) throw threadFull();
    const message = {
      id: uuidv7(),
      authorId: invocation.by.agentId,
      kind: 'message',
      body: args.body,
      payload: args.payload,
      artifacts: args.artifacts,
    } as const;
    const changed = await this.handoffs.append(transaction, handoff, message, claim, invocation);
    if (changed === 'blocked') throw blockedBy(counterpart.handle);
    if (changed === 'lost') throw lostUpdate();
    return {
      handoffId: handoff.id,
      messageId: message.id,
      sequenceNo: changed.sequence_no,
      createdAt: changed.updated_at,
      replayed: false,
    };
  }

  private async replay(transaction: Transaction, remembered: RememberedWrite): Promise<AppendedMessage> {
    const { handoff_id: handoffId, sequence_no: sequenceNo, created_at: createdAt } = remembered;
    const message = await this.handoffs.messageOf(transaction, handoffId, sequenceNo);
    if (message === undefined) throw threadNotFound(handoffId);
    return { handoffId, messageId: message.id, sequenceNo, createdAt, replayed: true };
  }
}

function threadFull(): RelayError {
  const limit = LIMITS.messagesPerThread;
  return new RelayError(
    'invalid_params',
    `The thread has reached ${limit} messages; complete it and send a new handoff.`,
    { limit },
  );
}

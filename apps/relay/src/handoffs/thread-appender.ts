import { type Artifact, LIMITS, RelayError } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { blockedBy, recipientNotFound, refuseIfBlocked } from '../agents';
import { type Transaction, UnitOfWork } from '../database';
import { type Claim, IdempotencyService, type RememberedWrite } from '../idempotency';
import type { Invocation } from '../identity';
import { HandoffLocksRepository } from './handoff-locks.repository';
import type { AppendedMessage } from './handoff.views';
import { HandoffsRepository } from './handoffs.repository';
import type { LockedHandoff } from './locked-handoff';
import { lostUpdate, refuseUnanswerable, refuseUnlessAllowed, threadNotFound } from './refusals';

export interface ThreadContent {
  kind: 'message' | 'draft';
  body: string;
  payload: Record<string, unknown>;
  artifacts: Artifact[];
}

/** Adds what a participant says to a live thread, numbered without gaps. */
@Injectable()
export class ThreadAppender {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly idempotency: IdempotencyService,
    private readonly locks: HandoffLocksRepository,
    private readonly handoffs: HandoffsRepository,
  ) {}

  async append(
    handoffId: string,
    content: ThreadContent,
    claim: Claim | undefined,
    invocation: Invocation,
  ): Promise<AppendedMessage> {
    return this.idempotency.once(
      claim,
      () => this.unitOfWork.run((transaction) => this.write(transaction, handoffId, content, claim, invocation)),
      (remembered) => this.unitOfWork.run((transaction) => this.replay(transaction, remembered)),
    );
  }

  private async write(
    transaction: Transaction,
    handoffId: string,
    content: ThreadContent,
    claim: Claim | undefined,
    invocation: Invocation,
  ): Promise<AppendedMessage> {
    const handoff = await this.locks.lock(transaction, handoffId, invocation.by);
    if (handoff === undefined) throw threadNotFound(handoffId);
    const { counterpart } = handoff;
    if (!counterpart.active) throw recipientNotFound(counterpart.handle);
    refuseIfBlocked(counterpart.handle, handoff.blocks);
    refuseUnlessAllowed(content.kind === 'draft' ? 'draft' : 'append', handoff);
    if (content.kind === 'draft') refuseUnlessProposed(handoff);
    if (handoff.messageCount >= LIMITS.messagesPerThread) throw threadFull();
    const message = { id: uuidv7(), authorId: invocation.by.agentId, ...content };
    refuseUnanswerable(message);
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
    const messageId = await this.handoffs.messageId(transaction, handoffId, sequenceNo);
    if (messageId === undefined) throw threadNotFound(handoffId);
    return { handoffId, messageId, sequenceNo, createdAt, replayed: true };
  }
}

function refuseUnlessProposed({ intent }: LockedHandoff): void {
  if (intent === 'propose_action') return;
  throw new RelayError(
    'invalid_intent_payload',
    `Only a propose_action takes a draft; this handoff's intent is ${intent}. Send a message instead.`,
    {
      intent,
    },
  );
}

function threadFull(): RelayError {
  const limit = LIMITS.messagesPerThread;
  return new RelayError(
    'invalid_params',
    `The thread has reached ${limit} messages; complete it and send a new handoff.`,
    { limit },
  );
}

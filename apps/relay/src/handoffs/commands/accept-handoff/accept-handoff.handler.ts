import { type ErrorSymbol, RelayError } from '@agentrelay/protocol';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { blockedBy, refuseIfBlocked } from '../../../agents';
import { type Transaction, UnitOfWork } from '../../../database';
import { AnswerRoom } from '../../../edge';
import { type Claim, claimOf, IdempotencyService } from '../../../idempotency';
import { HandoffLocksRepository } from '../../handoff-locks.repository';
import type { TransitionResult } from '../../handoff.views';
import { HandoffsRepository } from '../../handoffs.repository';
import type { LockedHandoff } from '../../locked-handoff';
import { HandoffPolicies } from '../../policies/handoff-policies';
import { lostUpdate, refuseIfTerminal, refuseOtherVersion, refuseUnlessAllowed, threadNotFound } from '../../refusals';
import { ThreadsRepository } from '../../threads.repository';
import { transitionResult } from '../../transition-result';
import { AcceptHandoff } from './accept-handoff.command';

/** The refusals of a read that say that there is no room for it now. */
const NO_ROOM: readonly ErrorSymbol[] = ['payload_too_large', 'unavailable'];

@CommandHandler(AcceptHandoff)
export class AcceptHandoffHandler implements ICommandHandler<AcceptHandoff> {
  constructor(
    private readonly policies: HandoffPolicies,
    private readonly unitOfWork: UnitOfWork,
    private readonly idempotency: IdempotencyService,
    private readonly locks: HandoffLocksRepository,
    private readonly handoffs: HandoffsRepository,
    private readonly threads: ThreadsRepository,
  ) {}

  /** @throws RelayError thread_not_found, teammate_blocked, state_changed, not_authorized_transition, thread_terminal, or a policy's */
  async execute(command: AcceptHandoff): Promise<TransitionResult> {
    const { handoffId, sessionId } = command.args;
    const claim = claimOf(command.invocation, 'handoff.accept', { handoffId, sessionId });
    return this.idempotency.once(
      claim,
      async () => {
        await this.policies.review({ action: 'accept', by: command.invocation.by, args: command.args });
        return this.unitOfWork.run((transaction) => this.accept(transaction, claim, command));
      },
      () =>
        this.unitOfWork.run(async (transaction) => {
          const handoff = await this.locks.lock(transaction, handoffId, command.invocation.by);
          if (handoff === undefined) throw threadNotFound(handoffId);
          return this.original(transaction, handoff, command);
        }),
    );
  }

  private async accept(
    transaction: Transaction,
    claim: Claim | undefined,
    command: AcceptHandoff,
  ): Promise<TransitionResult> {
    const { args, invocation } = command;
    const handoff = await this.locks.lock(transaction, args.handoffId, invocation.by);
    if (handoff === undefined) throw threadNotFound(args.handoffId);
    if (isOwnAcceptance(handoff, args.sessionId)) {
      await this.idempotency.refuseIfReused(transaction, claim);
      return this.original(transaction, handoff, command);
    }
    refuseIfBlocked(handoff.counterpart.handle, handoff.blocks);
    refuseIfTerminal('accept', handoff);
    refuseOtherVersion(args.expectedVersion, handoff);
    refuseUnlessAllowed('accept', handoff);
    const changed = await this.handoffs.accept(transaction, handoff, args.sessionId, claim, invocation);
    if (changed === 'blocked') throw blockedBy(handoff.counterpart.handle);
    if (changed === 'lost') throw lostUpdate();
    return transitionResult(changed, await this.thread(transaction, command));
  }

  /** The answer that the first, successful accept gave. */
  private async original(
    transaction: Transaction,
    handoff: LockedHandoff,
    command: AcceptHandoff,
  ): Promise<TransitionResult> {
    const acceptedAt = handoff.acceptedAt ?? new Date(0);
    return {
      handoffId: handoff.id,
      status: 'accepted',
      outcome: null,
      version: handoff.acceptedVersion ?? handoff.version,
      updatedAt: acceptedAt,
      acceptedAt,
      completedAt: null,
      cancelledAt: null,
      completionArtifacts: [],
      ...(await this.thread(transaction, command)),
      replayed: true,
    };
  }

  /** The thread, when it was asked for. What has been accepted stays so where there is no room for it. */
  private async thread(
    transaction: Transaction,
    { args, invocation: { by, room } }: AcceptHandoff,
  ): Promise<Pick<TransitionResult, 'thread' | 'threadOmitted'>> {
    if (!args.includeThread) return { thread: undefined, threadOmitted: false };
    const wish = { afterSequenceNo: 0, historyLength: undefined, markRead: true };
    try {
      const thread = await this.threads.read(transaction, args.handoffId, by, wish, room ?? new AnswerRoom());
      return { thread, threadOmitted: false };
    } catch (error) {
      if (!(error instanceof RelayError && NO_ROOM.includes(error.symbol))) throw error;
      return { thread: undefined, threadOmitted: true };
    }
  }
}

function isOwnAcceptance(handoff: LockedHandoff, sessionId: string | undefined): boolean {
  return handoff.side === 'recipient' && sessionId !== undefined && handoff.acceptedSessionId === sessionId;
}

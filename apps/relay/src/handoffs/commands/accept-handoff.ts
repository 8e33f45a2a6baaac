import { type ErrorSymbol, RelayError } from '@agentrelay/protocol';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Transaction, UnitOfWork } from '../../database';
import { AnswerRoom } from '../../http';
import { type KeyReservation, reservationFor, IdempotencyService } from '../../idempotency';
import type { CommandContext } from '../../identity';
import type { TransitionResult } from '../handoff.views';
import type { LockedHandoff } from '../locked-handoff';
import { HandoffPolicies } from '../policies/handoff-policies';
import { ThreadsRepository } from '../threads.repository';
import type { ThreadAction } from '../write/thread-write';
import { ThreadWriter } from '../write/thread-writer';
import { transitionResult } from '../write/transition-result';
import type { AcceptHandoffArguments } from './arguments';

/** The recipient takes the work on. */
export class AcceptHandoff extends Command<TransitionResult> {
  constructor(
    readonly args: AcceptHandoffArguments,
    readonly context: CommandContext,
  ) {
    super();
  }
}

export const ACCEPT: ThreadAction = {
  verb: 'accept',
  rule: { by: ['recipient'], pending: 'allowed', accepted: 'state_changed' },
  refusedByBlock: true,
  movesVersion: true,
};

/** The refusals of a read that say that there is no room for it now. */
const NO_ROOM: readonly ErrorSymbol[] = ['payload_too_large', 'unavailable'];

@CommandHandler(AcceptHandoff)
export class AcceptHandoffHandler implements ICommandHandler<AcceptHandoff> {
  constructor(
    private readonly policies: HandoffPolicies,
    private readonly unitOfWork: UnitOfWork,
    private readonly idempotency: IdempotencyService,
    private readonly writer: ThreadWriter,
    private readonly threads: ThreadsRepository,
  ) {}

  /** @throws RelayError thread_not_found, teammate_blocked, state_changed, not_authorized_transition, thread_terminal, or a policy's */
  async execute(command: AcceptHandoff): Promise<TransitionResult> {
    const { args, context } = command;
    const { handoffId, sessionId } = args;
    const reservation = reservationFor(context, 'handoff.accept', { handoffId, sessionId });
    return this.idempotency.executeIdempotent(
      reservation,
      async () => {
        await this.policies.review({ action: 'accept', by: context.by, args });
        return this.unitOfWork.run((transaction) => this.accept(transaction, reservation, command));
      },
      () =>
        this.unitOfWork.run(async (transaction) =>
          this.original(transaction, await this.writer.lock(transaction, handoffId, context), command),
        ),
    );
  }

  private async accept(
    transaction: Transaction,
    reservation: KeyReservation | undefined,
    command: AcceptHandoff,
  ): Promise<TransitionResult> {
    const { args, context } = command;
    const handoff = await this.writer.lock(transaction, args.handoffId, context);
    if (isOwnAcceptance(handoff, args.sessionId)) {
      await this.idempotency.refuseIfReused(transaction, reservation);
      return this.original(transaction, handoff, command);
    }
    const write = {
      action: ACCEPT,
      event: 'handoff.accepted',
      expectedVersion: args.expectedVersion,
      set: {
        status: 'accepted',
        accepted_at: { fact: 'at' },
        accepted_version: { fact: 'version' },
        accepted_session_id: args.sessionId ?? null,
      },
    } as const;
    const changed = await this.writer.change(transaction, handoff, write, reservation, context);
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
    { args, context: { by, room } }: AcceptHandoff,
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

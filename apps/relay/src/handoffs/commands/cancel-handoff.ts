import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { reservationFor, IdempotencyService } from '../../idempotency';
import type { CommandContext } from '../../identity';
import type { TransitionResult } from '../handoff.views';
import { ThreadsRepository } from '../threads.repository';
import type { ThreadAction } from '../write/thread-write';
import { ThreadWriter } from '../write/thread-writer';
import { transitionResult } from '../write/transition-result';

export interface CancelHandoffArguments {
  handoffId: string;
  expectedVersion: number | undefined;
}

/** The sender withdraws work that nobody has accepted yet. */
export class CancelHandoff extends Command<TransitionResult> {
  constructor(
    readonly args: CancelHandoffArguments,
    readonly context: CommandContext,
  ) {
    super();
  }
}

export const CANCEL: ThreadAction = {
  verb: 'cancel',
  rule: { by: ['sender'], pending: 'allowed', accepted: 'invalid_transition' },
  advice: {
    not_authorized_transition:
      'Only the sender can cancel a handoff; complete it with outcome "failed" to decline the work.',
    invalid_transition: 'The handoff was accepted and can no longer be cancelled; send a message instead.',
  },
  refusedByBlock: false,
  movesVersion: true,
};

@CommandHandler(CancelHandoff)
export class CancelHandoffHandler implements ICommandHandler<CancelHandoff> {
  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly writer: ThreadWriter,
    private readonly threads: ThreadsRepository,
  ) {}

  /** @throws RelayError thread_not_found, thread_terminal, not_authorized_transition, invalid_transition, state_changed */
  async execute({ args: { handoffId, expectedVersion }, context }: CancelHandoff): Promise<TransitionResult> {
    const reservation = reservationFor(context, 'handoff.cancel', { handoffId });
    const write = {
      action: CANCEL,
      event: 'handoff.cancelled',
      expectedVersion,
      set: { status: 'cancelled', cancelled_at: { fact: 'at' } },
    } as const;
    return this.idempotency.executeIdempotent(
      reservation,
      async () => {
        const changed = await this.writer.write(handoffId, write, reservation, context);
        return transitionResult(changed, {});
      },
      () => this.threads.endOf(handoffId, context.by),
    );
  }
}

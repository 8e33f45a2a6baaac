import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { v7 as uuidv7 } from 'uuid';
import { reservationFor, IdempotencyService } from '../../idempotency';
import type { CommandContext } from '../../identity';
import type { TransitionResult } from '../handoff.views';
import { HandoffPolicies } from '../policies/handoff-policies';
import { ThreadsRepository } from '../threads.repository';
import type { ThreadAction, ThreadWrite } from '../write/thread-write';
import { ThreadWriter } from '../write/thread-writer';
import { transitionResult } from '../write/transition-result';
import type { CompleteHandoffArguments } from './arguments';

/** The recipient closes the thread with a result, a negative one included. */
export class CompleteHandoff extends Command<TransitionResult> {
  constructor(
    readonly args: CompleteHandoffArguments,
    readonly context: CommandContext,
  ) {
    super();
  }
}

export const COMPLETE: ThreadAction = {
  verb: 'complete',
  rule: { by: ['recipient'], pending: 'invalid_transition', accepted: 'allowed' },
  refusedByBlock: false,
  movesVersion: true,
};

@CommandHandler(CompleteHandoff)
export class CompleteHandoffHandler implements ICommandHandler<CompleteHandoff> {
  constructor(
    private readonly policies: HandoffPolicies,
    private readonly idempotency: IdempotencyService,
    private readonly writer: ThreadWriter,
    private readonly threads: ThreadsRepository,
  ) {}

  /** @throws RelayError thread_not_found, thread_terminal, not_authorized_transition, invalid_transition, state_changed, or a policy's */
  async execute({ args, context }: CompleteHandoff): Promise<TransitionResult> {
    const { handoffId, resultSummary, artifacts, outcome } = args;
    const reservation = reservationFor(context, 'handoff.complete', { handoffId, resultSummary, artifacts, outcome });
    return this.idempotency.executeIdempotent(
      reservation,
      async () => {
        await this.policies.review({ action: 'complete', by: context.by, args });
        const write = completion(args, context);
        const changed = await this.writer.write(handoffId, write, reservation, context);
        return transitionResult(changed, { completionArtifacts: artifacts });
      },
      () => this.threads.endOf(handoffId, context.by),
    );
  }
}

function completion(args: CompleteHandoffArguments, { by }: CommandContext): ThreadWrite {
  return {
    action: COMPLETE,
    event: 'handoff.completed',
    expectedVersion: args.expectedVersion,
    set: { status: 'completed', completed_at: { fact: 'at' }, outcome: args.outcome },
    message: {
      id: uuidv7(),
      authorId: by.agentId,
      kind: 'result',
      body: args.resultSummary,
      payload: {},
      artifacts: args.artifacts,
    },
  };
}

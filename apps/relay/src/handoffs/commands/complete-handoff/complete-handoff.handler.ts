import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { v7 as uuidv7 } from 'uuid';
import { type Transaction, UnitOfWork } from '../../../database';
import { type Claim, claimOf, IdempotencyService } from '../../../idempotency';
import { HandoffLocksRepository } from '../../handoff-locks.repository';
import type { TransitionResult } from '../../handoff.views';
import { HandoffsRepository } from '../../handoffs.repository';
import { HandoffPolicies } from '../../policies/handoff-policies';
import {
  lostUpdate,
  refuseIfTerminal,
  refuseOtherVersion,
  refuseUnanswerable,
  refuseUnlessAllowed,
  threadNotFound,
} from '../../refusals';
import { ThreadsRepository } from '../../threads.repository';
import { transitionResult } from '../../transition-result';
import { CompleteHandoff } from './complete-handoff.command';

@CommandHandler(CompleteHandoff)
export class CompleteHandoffHandler implements ICommandHandler<CompleteHandoff> {
  constructor(
    private readonly policies: HandoffPolicies,
    private readonly unitOfWork: UnitOfWork,
    private readonly idempotency: IdempotencyService,
    private readonly locks: HandoffLocksRepository,
    private readonly handoffs: HandoffsRepository,
    private readonly threads: ThreadsRepository,
  ) {}

  /** @throws RelayError thread_not_found, thread_terminal, not_authorized_transition, invalid_transition, state_changed, or a policy's */
  async execute(command: CompleteHandoff): Promise<TransitionResult> {
    const { handoffId, resultSummary, artifacts, outcome } = command.args;
    const claim = claimOf(command.invocation, 'handoff.complete', { handoffId, resultSummary, artifacts, outcome });
    return this.idempotency.once(
      claim,
      async () => {
        await this.policies.review({ action: 'complete', by: command.invocation.by, args: command.args });
        return this.unitOfWork.run((transaction) => this.complete(transaction, claim, command));
      },
      () => this.threads.endOf(handoffId, command.invocation.by),
    );
  }

  private async complete(
    transaction: Transaction,
    claim: Claim | undefined,
    { args, invocation }: CompleteHandoff,
  ): Promise<TransitionResult> {
    const handoff = await this.locks.lock(transaction, args.handoffId, invocation.by);
    if (handoff === undefined) throw threadNotFound(args.handoffId);
    refuseIfTerminal('complete', handoff);
    refuseOtherVersion(args.expectedVersion, handoff);
    refuseUnlessAllowed('complete', handoff);
    const result = {
      id: uuidv7(),
      authorId: invocation.by.agentId,
      kind: 'result',
      body: args.resultSummary,
      payload: {},
      artifacts: args.artifacts,
    } as const;
    refuseUnanswerable(result);
    const changed = await this.handoffs.complete(transaction, handoff, args.outcome, result, claim, invocation);
    if (changed === 'blocked' || changed === 'lost') throw lostUpdate();
    return transitionResult(changed, { completionArtifacts: args.artifacts });
  }
}

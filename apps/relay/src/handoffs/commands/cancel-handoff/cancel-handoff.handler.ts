import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Transaction, UnitOfWork } from '../../../database';
import { type Claim, claimOf, IdempotencyService } from '../../../idempotency';
import { HandoffLocksRepository } from '../../handoff-locks.repository';
import type { TransitionResult } from '../../handoff.views';
import { HandoffsRepository } from '../../handoffs.repository';
import { lostUpdate, refuseIfTerminal, refuseOtherVersion, refuseUnlessAllowed, threadNotFound } from '../../refusals';
import { ThreadsRepository } from '../../threads.repository';
import { transitionResult } from '../../transition-result';
import { CancelHandoff } from './cancel-handoff.command';

@CommandHandler(CancelHandoff)
export class CancelHandoffHandler implements ICommandHandler<CancelHandoff> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly idempotency: IdempotencyService,
    private readonly locks: HandoffLocksRepository,
    private readonly handoffs: HandoffsRepository,
    private readonly threads: ThreadsRepository,
  ) {}

  /** @throws RelayError thread_not_found, thread_terminal, not_authorized_transition, invalid_transition, state_changed */
  async execute(command: CancelHandoff): Promise<TransitionResult> {
    const { handoffId } = command.args;
    const claim = claimOf(command.invocation, 'handoff.cancel', { handoffId });
    return this.idempotency.once(
      claim,
      () => this.unitOfWork.run((transaction) => this.cancel(transaction, claim, command)),
      () => this.threads.endOf(handoffId, command.invocation.by),
    );
  }

  private async cancel(
    transaction: Transaction,
    claim: Claim | undefined,
    { args, invocation }: CancelHandoff,
  ): Promise<TransitionResult> {
    const handoff = await this.locks.lock(transaction, args.handoffId, invocation.by);
    if (handoff === undefined) throw threadNotFound(args.handoffId);
    refuseIfTerminal('cancel', handoff);
    refuseOtherVersion(args.expectedVersion, handoff);
    refuseUnlessAllowed('cancel', handoff);
    const changed = await this.handoffs.cancel(transaction, handoff, claim, invocation);
    if (changed === 'blocked' || changed === 'lost') throw lostUpdate();
    return transitionResult(changed, {});
  }
}

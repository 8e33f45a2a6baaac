import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { UnitOfWork } from '../../database';
import { EventLogRepository } from '../../events';
import { type ReplayableResult, IdempotencyService } from '../../idempotency';
import { CallingKey } from '../../identity';
import { AgentsRepository } from '../agents.repository';
import { recipientNotFound } from '../recipient-not-found';
import { BlocksRepository } from './blocks.repository';
import { UnblockTeammate } from './unblock-teammate.command';

@CommandHandler(UnblockTeammate)
export class UnblockTeammateHandler implements ICommandHandler<UnblockTeammate> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly callingKey: CallingKey,
    private readonly agents: AgentsRepository,
    private readonly blocks: BlocksRepository,
    private readonly events: EventLogRepository,
    private readonly idempotency: IdempotencyService,
  ) {}

  /** @throws RelayError recipient_not_found, unauthenticated when the key or the agent ended meanwhile */
  async execute({ handle, context }: UnblockTeammate): Promise<ReplayableResult<string>> {
    const caller = context.by;
    const teammate = await this.agents.find(handle);
    if (teammate === undefined) throw recipientNotFound(handle);
    const replayed = await this.unitOfWork.run(async (transaction) => {
      await this.callingKey.hold(transaction, caller);
      const args = { agentId: teammate.agentId };
      if ((await this.idempotency.reserve(transaction, context, 'block.remove', args)) === 'repeated') return true;
      if (await this.blocks.delete(transaction, caller.agentId, teammate.agentId)) {
        await this.events.append(
          transaction,
          'block.removed',
          caller.agentId,
          { blocked_id: teammate.agentId },
          context,
        );
      }
      return false;
    });
    return { value: teammate.handle, replayed };
  }
}

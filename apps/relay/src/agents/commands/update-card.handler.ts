import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { UnitOfWork } from '../../database';
import { EventLogRepository } from '../../events';
import { type ReplayableResult, IdempotencyService } from '../../idempotency';
import { CallingKey } from '../../identity';
import type { AgentProfile } from '../agent-profile';
import { AgentsRepository } from '../agents.repository';
import { recipientNotFound } from '../recipient-not-found';
import { UpdateCard } from './update-card.command';

@CommandHandler(UpdateCard)
export class UpdateCardHandler implements ICommandHandler<UpdateCard> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly callingKey: CallingKey,
    private readonly agents: AgentsRepository,
    private readonly events: EventLogRepository,
    private readonly idempotency: IdempotencyService,
  ) {}

  /** @throws RelayError unauthenticated when the key or the agent ended meanwhile */
  async execute({ card, context }: UpdateCard): Promise<ReplayableResult<AgentProfile>> {
    const { agentId, handle } = context.by;
    const { profile, replayed } = await this.unitOfWork.run(async (transaction) => {
      // Of an agent that was disabled, and erased, since it was let in nothing may be written down any more.
      await this.callingKey.hold(transaction, context.by);
      if ((await this.idempotency.reserve(transaction, context, 'card.update', card)) === 'repeated') {
        const kept = await this.idempotency.keptAnswer<AgentProfile>(transaction, context, 'card.update', card);
        return { profile: kept ?? (await this.agents.get(agentId, transaction)), replayed: true };
      }
      await this.agents.updateCard(transaction, agentId, card);
      await this.events.append(transaction, 'card.updated', agentId, { members: Object.keys(card) }, context);
      const updated = await this.agents.get(agentId, transaction);
      if (updated !== undefined) {
        await this.idempotency.keepAnswer(transaction, context, 'card.update', card, updated);
      }
      return { profile: updated, replayed: false };
    });
    if (profile === undefined) throw recipientNotFound(handle);
    return { value: profile, replayed };
  }
}

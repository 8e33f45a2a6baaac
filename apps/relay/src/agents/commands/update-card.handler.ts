import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { UnitOfWork } from '../../database';
import { EventLogRepository } from '../../events';
import { type Answered, IdempotencyService } from '../../idempotency';
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
  async execute({ card, invocation }: UpdateCard): Promise<Answered<AgentProfile>> {
    const { agentId, handle } = invocation.by;
    const { profile, replayed } = await this.unitOfWork.run(async (transaction) => {
      // Of an agent that was disabled, and erased, since it was let in nothing may be written down any more.
      await this.callingKey.hold(transaction, invocation.by);
      if ((await this.idempotency.claim(transaction, invocation, 'card.update', card)) === 'repeated') {
        const kept = await this.idempotency.keptAnswer<AgentProfile>(transaction, invocation, 'card.update', card);
        return { profile: kept ?? (await this.agents.get(agentId, transaction)), replayed: true };
      }
      await this.agents.updateCard(transaction, agentId, card);
      await this.events.append(transaction, 'card.updated', agentId, { members: Object.keys(card) }, invocation);
      const updated = await this.agents.get(agentId, transaction);
      if (updated !== undefined) {
        await this.idempotency.keepAnswer(transaction, invocation, 'card.update', card, updated);
      }
      return { profile: updated, replayed: false };
    });
    if (profile === undefined) throw recipientNotFound(handle);
    return { value: profile, replayed };
  }
}

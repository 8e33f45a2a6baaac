import { RelayError } from '@agentrelay/protocol';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { UnitOfWork } from '../../database';
import { EventLogRepository } from '../../events';
import { type ReplayableResult, IdempotencyService } from '../../idempotency';
import { agentNotFound } from '../agent-not-found';
import type { AgentProfile } from '../agent-profile';
import { AgentsRepository } from '../agents.repository';
import { UpdateAgent } from './update-agent.command';

@CommandHandler(UpdateAgent)
export class UpdateAgentHandler implements ICommandHandler<UpdateAgent> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly agents: AgentsRepository,
    private readonly events: EventLogRepository,
    private readonly idempotency: IdempotencyService,
  ) {}

  /** @throws RelayError not_found, conflict for one that was erased */
  async execute({ handle, changes, context }: UpdateAgent): Promise<ReplayableResult<AgentProfile>> {
    const agent = await this.agents.require(handle);
    const { agentId } = agent;
    const { displayName, role, enable } = changes;
    const replayed = await this.unitOfWork.run(async (transaction) => {
      await this.agents.lock(transaction, agent);
      if (await this.agents.isErased(transaction, agentId)) throw erasedForGood(agent.handle);
      const reserved = await this.idempotency.reserve(transaction, context, 'agent.update', { agentId, changes });
      if (reserved === 'repeated') return true;
      if (enable && (await this.agents.setStatus(transaction, agentId, 'active'))) {
        await this.events.append(transaction, 'agent.enabled', agentId, {}, context);
      }
      if (displayName !== undefined || role !== undefined) {
        await this.agents.rename(transaction, agentId, displayName, role);
        const members = Object.entries({ display_name: displayName, role }).filter(([, value]) => value !== undefined);
        await this.events.append(
          transaction,
          'card.updated',
          agentId,
          { members: members.map(([name]) => name) },
          context,
        );
      }
      return false;
    });
    const updated = await this.agents.get(agentId);
    if (updated === undefined) throw agentNotFound(handle);
    return { value: updated, replayed };
  }
}

function erasedForGood(handle: string): RelayError {
  return new RelayError('conflict', `${handle} was erased and stays so; register the person anew.`, {
    field: 'status',
  });
}

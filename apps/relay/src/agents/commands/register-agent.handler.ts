import { canonicalHandle, handleFault, RelayError } from '@agentrelay/protocol';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { v7 as uuidv7 } from 'uuid';
import { IdentityConfig } from '../../config';
import { UnitOfWork } from '../../database';
import { EventLogRepository } from '../../events';
import { ApiKeyIssuer } from '../../identity';
import { AgentsRepository } from '../agents.repository';
import { RegisterAgent, type RegisteredAgent } from './register-agent.command';

@CommandHandler(RegisterAgent)
export class RegisterAgentHandler implements ICommandHandler<RegisterAgent> {
  constructor(
    private readonly config: IdentityConfig,
    private readonly unitOfWork: UnitOfWork,
    private readonly agents: AgentsRepository,
    private readonly keys: ApiKeyIssuer,
    private readonly events: EventLogRepository,
  ) {}

  async execute({ agent, invocation }: RegisterAgent): Promise<RegisteredAgent> {
    const fault = handleFault(agent.handle, this.config.team);
    if (fault !== undefined) throw new RelayError('invalid_params', `handle ${fault}.`, { field: 'handle' });
    const agentId = uuidv7();
    const handle = canonicalHandle(agent.handle);
    return this.unitOfWork.run(async (transaction) => {
      const ownerId = await this.agents.ownerOf(transaction, uuidv7(), agent.email, agent.displayName);
      await this.agents.insert(transaction, { ...agent, id: agentId, ownerId, handle, card: agent });
      const terms = { principal: 'agent', label: 'first key', expiresAt: null } as const;
      const { keyId, apiKey } = await this.keys.issue(transaction, agentId, terms);
      await this.events.append(transaction, 'agent.registered', agentId, { handle, key_id: keyId }, invocation);
      return { agentId, handle, apiKey };
    });
  }
}

import { RelayError } from '@agentrelay/protocol';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AgentsRepository } from '../../agents';
import { UnitOfWork } from '../../database';
import { EventLogRepository } from '../../events';
import { InvitesRepository } from '../../invites';
import { EraseAgent } from './erase-agent.command';

@CommandHandler(EraseAgent)
export class EraseAgentHandler implements ICommandHandler<EraseAgent> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly agents: AgentsRepository,
    private readonly invites: InvitesRepository,
    private readonly events: EventLogRepository,
  ) {}

  /** @throws RelayError not_found, conflict while the agent is active */
  async execute({ handle, invocation }: EraseAgent): Promise<string> {
    const agent = await this.agents.require(handle);
    return this.unitOfWork.run(async (transaction) => {
      if ((await this.agents.lock(transaction, agent)) === 'active') {
        throw new RelayError('conflict', `${agent.handle} is active; disable it before you erase it.`, {
          field: 'status',
        });
      }
      const { handle: pseudonym, forgottenEmail } = await this.agents.pseudonymise(transaction, agent.agentId);
      await this.invites.pseudonymise(transaction, agent.handle, pseudonym, forgottenEmail);
      await this.events.append(transaction, 'agent.erased', agent.agentId, {}, invocation);
      return pseudonym;
    });
  }
}

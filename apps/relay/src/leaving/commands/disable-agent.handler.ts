import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AgentsRepository } from '../../agents';
import { UnitOfWork } from '../../database';
import { EventLogRepository } from '../../events';
import { GiveBackWork } from '../../handoffs';
import { ApiKeysRepository, Authenticator } from '../../identity';
import { InvitesRepository } from '../../invites';
import { DisableAgent } from './disable-agent.command';

@CommandHandler(DisableAgent)
export class DisableAgentHandler implements ICommandHandler<DisableAgent> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly agents: AgentsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly authenticator: Authenticator,
    private readonly invites: InvitesRepository,
    private readonly events: EventLogRepository,
    private readonly commands: CommandBus,
  ) {}

  /** Repeating it finishes what was left. @throws RelayError not_found */
  async execute({ handle, invocation }: DisableAgent): Promise<string> {
    const agent = await this.agents.require(handle);
    const { agentId } = agent;
    const revoked = await this.unitOfWork.run(async (transaction) => {
      await this.agents.lock(transaction, agent);
      if (!(await this.agents.setStatus(transaction, agentId, 'disabled'))) return [];
      await this.events.append(transaction, 'agent.disabled', agentId, {}, invocation);
      for (const { jti, inviterId } of await this.invites.revokeOf(transaction, agentId)) {
        await this.events.append(transaction, 'invite.revoked', inviterId, { jti }, invocation);
      }
      return this.keys.revokeAll(transaction, agentId);
    });
    for (const keyId of revoked) this.authenticator.forget(keyId);
    await this.commands.execute(new GiveBackWork(agentId, invocation.requestId));
    return agent.handle;
  }
}

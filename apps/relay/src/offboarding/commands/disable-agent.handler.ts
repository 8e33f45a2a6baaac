import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AgentsRepository } from '../../agents';
import { type Transaction, UnitOfWork } from '../../database';
import { EventLogRepository } from '../../events';
import { GiveBackWork } from '../../handoffs';
import { type Answered, IdempotencyService } from '../../idempotency';
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
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Repeating it finishes what was left; under the same idempotency key it disables no agent that was enabled since.
   * @throws RelayError not_found
   */
  async execute({ handle, invocation }: DisableAgent): Promise<Answered<string>> {
    const agent = await this.agents.require(handle);
    const { agentId } = agent;
    const { revoked, replayed, isLeft } = await this.unitOfWork.run(async (transaction) => {
      const status = await this.agents.lock(transaction, agent);
      const claimed = await this.idempotency.claim(transaction, invocation, 'agent.disable', { agentId });
      if (claimed === 'repeated') return { revoked: [], replayed: true, isLeft: status === 'disabled' };
      return { revoked: await this.disable(transaction, agentId, invocation), replayed: false, isLeft: true };
    });
    for (const keyId of revoked) this.authenticator.forget(keyId);
    if (isLeft) await this.commands.execute(new GiveBackWork(agentId, invocation.requestId));
    return { value: agent.handle, replayed };
  }

  /** Returns the ids of the keys that ended; none when it was disabled already. */
  private async disable(
    transaction: Transaction,
    agentId: string,
    invocation: DisableAgent['invocation'],
  ): Promise<string[]> {
    if (!(await this.agents.setStatus(transaction, agentId, 'disabled'))) return [];
    await this.events.append(transaction, 'agent.disabled', agentId, {}, invocation);
    for (const { jti, inviterId } of await this.invites.revokeOf(transaction, agentId)) {
      await this.events.append(transaction, 'invite.revoked', inviterId, { jti }, invocation);
    }
    return this.keys.revokeAll(transaction, agentId);
  }
}

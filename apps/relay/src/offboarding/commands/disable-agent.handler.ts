import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AgentsRepository } from '../../agents';
import { type Transaction, UnitOfWork } from '../../database';
import { EventLogRepository } from '../../events';
import { ReleaseHandoffs } from '../../handoffs';
import { type ReplayableResult, IdempotencyService } from '../../idempotency';
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
  async execute({ handle, context }: DisableAgent): Promise<ReplayableResult<string>> {
    const agent = await this.agents.require(handle);
    const { agentId } = agent;
    const { revoked, replayed, isLeft } = await this.unitOfWork.run(async (transaction) => {
      const status = await this.agents.lock(transaction, agent);
      const reserved = await this.idempotency.reserve(transaction, context, 'agent.disable', { agentId });
      if (reserved === 'repeated') return { revoked: [], replayed: true, isLeft: status === 'disabled' };
      return { revoked: await this.disable(transaction, agentId, context), replayed: false, isLeft: true };
    });
    for (const keyId of revoked) this.authenticator.forget(keyId);
    if (isLeft) await this.commands.execute(new ReleaseHandoffs(agentId, context.requestId));
    return { value: agent.handle, replayed };
  }

  /** Returns the ids of the keys that ended; none when it was disabled already. */
  private async disable(
    transaction: Transaction,
    agentId: string,
    context: DisableAgent['context'],
  ): Promise<string[]> {
    if (!(await this.agents.setStatus(transaction, agentId, 'disabled'))) return [];
    await this.events.append(transaction, 'agent.disabled', agentId, {}, context);
    for (const { jti, inviterId } of await this.invites.revokeOf(transaction, agentId)) {
      await this.events.append(transaction, 'invite.revoked', inviterId, { jti }, context);
    }
    return this.keys.revokeAll(transaction, agentId);
  }
}

import { canonicalHandle, RelayError } from '@agentrelay/protocol';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { agentNotFound, AgentsRepository } from '../../agents';
import { type Transaction, UnitOfWork } from '../../database';
import { EventLogRepository } from '../../events';
import { type ReplayableResult, IdempotencyService } from '../../idempotency';
import { InvitesRepository } from '../../invites';
import { EraseAgent } from './erase-agent.command';

@CommandHandler(EraseAgent)
export class EraseAgentHandler implements ICommandHandler<EraseAgent> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly agents: AgentsRepository,
    private readonly invites: InvitesRepository,
    private readonly events: EventLogRepository,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * The handle is gone afterwards, so a repeated call is known by what it asked for.
   * @throws RelayError not_found, conflict while the agent is active
   */
  async execute({ handle, context }: EraseAgent): Promise<ReplayableResult<string>> {
    const agent = await this.agents.find(handle);
    const { value, replayed } = await this.unitOfWork.run((transaction) => {
      const args = { handle: canonicalHandle(handle) };
      return this.idempotency.answerOnce(transaction, context, 'agent.erase', args, async () => {
        if (agent === undefined) throw agentNotFound(handle);
        return { pseudonym: await this.erase(transaction, agent, context) };
      });
    });
    return { value: value.pseudonym, replayed };
  }

  private async erase(
    transaction: Transaction,
    agent: { agentId: string; handle: string },
    context: EraseAgent['context'],
  ): Promise<string> {
    if ((await this.agents.lock(transaction, agent)) === 'active') {
      throw new RelayError('conflict', `${agent.handle} is active; disable it before you erase it.`, {
        field: 'status',
      });
    }
    const { handle: pseudonym, forgottenEmail } = await this.agents.pseudonymise(transaction, agent.agentId);
    await this.invites.pseudonymise(transaction, agent.handle, pseudonym, forgottenEmail);
    await this.events.append(transaction, 'agent.erased', agent.agentId, {}, context);
    return pseudonym;
  }
}

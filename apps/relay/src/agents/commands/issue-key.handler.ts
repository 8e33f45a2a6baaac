import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { UnitOfWork } from '../../database';
import { EventLogRepository } from '../../events';
import { IdempotencyService } from '../../idempotency';
import { ApiKeyIssuer, type IssuedKey } from '../../identity';
import { AgentsRepository } from '../agents.repository';
import { IssueKey } from './issue-key.command';

@CommandHandler(IssueKey)
export class IssueKeyHandler implements ICommandHandler<IssueKey> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly agents: AgentsRepository,
    private readonly keys: ApiKeyIssuer,
    private readonly events: EventLogRepository,
    private readonly idempotency: IdempotencyService,
  ) {}

  async execute({ handle, terms, invocation }: IssueKey): Promise<IssuedKey> {
    const agent = await this.agents.require(handle);
    return this.unitOfWork.run(async (transaction) => {
      await this.idempotency.claimCredential(transaction, invocation, 'key.issue', {
        agentId: agent.agentId,
        terms: { ...terms, expiresAt: terms.expiresAt?.toISOString() },
      });
      const issued = await this.keys.issue(transaction, agent.agentId, terms);
      const payload = { key_id: issued.keyId, principal: terms.principal };
      await this.events.append(transaction, 'key.issued', agent.agentId, payload, invocation);
      return issued;
    });
  }
}

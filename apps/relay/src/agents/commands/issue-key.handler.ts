import { RelayError } from '@agentrelay/protocol';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { UnitOfWork } from '../../database';
import { EventLogRepository } from '../../events';
import { IdempotencyService } from '../../idempotency';
import { ApiKeyIssuer, ApiKeysRepository, type IssuedKey } from '../../identity';
import { AgentsRepository } from '../agents.repository';
import { IssueKey } from './issue-key.command';

@CommandHandler(IssueKey)
export class IssueKeyHandler implements ICommandHandler<IssueKey> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly agents: AgentsRepository,
    private readonly issuer: ApiKeyIssuer,
    private readonly keys: ApiKeysRepository,
    private readonly events: EventLogRepository,
    private readonly idempotency: IdempotencyService,
  ) {}

  /** @throws RelayError not_found; invalid_params for an end that has passed; conflict while the agent is disabled, or for one key too many */
  async execute({ handle, terms, context }: IssueKey): Promise<IssuedKey> {
    const agent = await this.agents.require(handle);
    return this.unitOfWork.run(async (transaction) => {
      await this.agents.lockActive(transaction, agent);
      await this.idempotency.reserveForCredential(transaction, context, 'key.issue', {
        agentId: agent.agentId,
        terms: { ...terms, expiresAt: terms.expiresAt?.toISOString() },
      });
      if (terms.expiresAt !== null && !(await this.keys.isToCome(transaction, terms.expiresAt))) throw alreadyOver();
      const issued = await this.issuer.issue(transaction, agent.agentId, terms);
      const payload = { key_id: issued.keyId, principal: terms.principal };
      await this.events.append(transaction, 'key.issued', agent.agentId, payload, context);
      return issued;
    });
  }
}

function alreadyOver(): RelayError {
  return new RelayError('invalid_params', 'expires_at has passed: such a key would never work. Name a time to come.', {
    field: 'expires_at',
  });
}

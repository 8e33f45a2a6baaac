import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { UnitOfWork } from '../../database';
import { EventLogRepository } from '../../events';
import { IdempotencyService } from '../../idempotency';
import { ApiKeyIssuer, ApiKeysRepository, Authenticator, type IssuedKey } from '../../identity';
import { AgentsRepository } from '../agents.repository';
import { RotateKey } from './rotate-key.command';

@CommandHandler(RotateKey)
export class RotateKeyHandler implements ICommandHandler<RotateKey> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly agents: AgentsRepository,
    private readonly issuer: ApiKeyIssuer,
    private readonly keys: ApiKeysRepository,
    private readonly authenticator: Authenticator,
    private readonly events: EventLogRepository,
    private readonly idempotency: IdempotencyService,
  ) {}

  /** @throws RelayError not_found; conflict while the agent is disabled, or when it was done before under the same idempotency key */
  async execute({ handle, rotation, context }: RotateKey): Promise<IssuedKey & { agentId: string }> {
    const agent = await this.agents.require(handle);
    const { agentId } = agent;
    const { principal, overlapSeconds } = rotation;
    const { issued, replaced } = await this.unitOfWork.run(async (transaction) => {
      await this.agents.lockActive(transaction, agent);
      const args = { agentId, principal, overlapSeconds };
      await this.idempotency.reserveForCredential(transaction, context, 'key.rotate', args);
      const replaced = await this.keys.supersede(transaction, agentId, principal, overlapSeconds);
      const terms = { principal, label: 'rotated', expiresAt: null };
      const issued = await this.issuer.issue(transaction, agentId, terms, replaced);
      const payload = { key_id: issued.keyId, replaces: replaced, overlap_seconds: overlapSeconds };
      await this.events.append(transaction, 'key.rotated', agentId, payload, context);
      return { issued, replaced };
    });
    for (const keyId of overlapSeconds === 0 ? replaced : issued.ended) this.authenticator.forget(keyId);
    return { ...issued, agentId };
  }
}

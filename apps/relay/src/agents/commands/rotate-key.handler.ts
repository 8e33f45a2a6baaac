import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { UnitOfWork } from '../../database';
import { EventLogRepository } from '../../events';
import { IdempotencyService } from '../../idempotency';
import { ApiKeyIssuer, ApiKeysRepository, Authenticator, type IssuedKey } from '../../identity';
import { RotateKey } from './rotate-key.command';

@CommandHandler(RotateKey)
export class RotateKeyHandler implements ICommandHandler<RotateKey> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly issuer: ApiKeyIssuer,
    private readonly keys: ApiKeysRepository,
    private readonly authenticator: Authenticator,
    private readonly events: EventLogRepository,
    private readonly idempotency: IdempotencyService,
  ) {}

  async execute({ agentId, rotation, invocation }: RotateKey): Promise<IssuedKey> {
    const { principal, replaces, overlapSeconds } = rotation;
    const { issued, ending } = await this.unitOfWork.run(async (transaction) => {
      await this.idempotency.claimCredential(transaction, invocation, 'key.rotate', {
        agentId,
        principal,
        overlapSeconds,
      });
      const ending = await this.keys.endAfter(transaction, agentId, principal, replaces, overlapSeconds);
      const issued = await this.issuer.issue(transaction, agentId, { principal, label: 'rotated', expiresAt: null });
      const payload = { key_id: issued.keyId, replaces: ending, overlap_seconds: overlapSeconds };
      await this.events.append(transaction, 'key.rotated', agentId, payload, invocation);
      return { issued, ending };
    });
    if (overlapSeconds === 0) for (const keyId of ending) this.authenticator.forget(keyId);
    return issued;
  }
}

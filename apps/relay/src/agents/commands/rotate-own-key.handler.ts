import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Transaction, UnitOfWork } from '../../database';
import { EventLogRepository } from '../../events';
import { IdempotencyService } from '../../idempotency';
import {
  ApiKeyIssuer,
  ApiKeysRepository,
  Authenticator,
  type Caller,
  CallingKey,
  refuseSuperseded,
} from '../../identity';
import { type OwnRotation, RotateOwnKey } from './rotate-own-key.command';

@CommandHandler(RotateOwnKey)
export class RotateOwnKeyHandler implements ICommandHandler<RotateOwnKey> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly callingKey: CallingKey,
    private readonly issuer: ApiKeyIssuer,
    private readonly keys: ApiKeysRepository,
    private readonly authenticator: Authenticator,
    private readonly events: EventLogRepository,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * @throws RelayError unauthenticated when the calling key ended meanwhile, forbidden for a caller without a key, conflict for
   * a key that an administrator has replaced, for one key too many, or when it was done before under the same idempotency key
   */
  async execute({ rotation, context }: RotateOwnKey): Promise<OwnRotation> {
    const { agentId, keyId: replaced, principal } = context.by;
    const { overlapSeconds, keepOthers } = rotation;
    const { issued, ended } = await this.unitOfWork.run(async (transaction) => {
      const key = await this.callingKey.lock(transaction, context.by);
      const args = { agentId, principal, replaced, ...rotation };
      await this.idempotency.reserveForCredential(transaction, context, 'key.rotate', args);
      refuseSuperseded(key);
      const others = await this.endOthers(transaction, context.by, keepOthers);
      await this.keys.rotated(transaction, replaced, overlapSeconds);
      const terms = { principal, label: key.label, expiresAt: key.inherits, parentId: replaced };
      const issued = await this.issuer.issue(transaction, agentId, terms, keepOthers ? [] : [replaced]);
      const ended = [...others, ...issued.ended];
      const facts = { key_id: issued.keyId, replaces: [replaced], overlap_seconds: overlapSeconds };
      const payload = ended.length === 0 ? facts : { ...facts, ended };
      await this.events.append(transaction, 'key.rotated', agentId, payload, context);
      return { issued: { ...issued, expiresAt: key.inherits }, ended };
    });
    for (const keyId of overlapSeconds === 0 ? [...ended, replaced] : ended) this.authenticator.forget(keyId);
    return issued;
  }

  /** What the calling key made before ends in any case: an answer that was lost has left such a key. */
  private async endOthers(transaction: Transaction, { agentId, keyId, principal }: Caller, keepOthers: boolean) {
    if (!keepOthers) return this.keys.revokeAll(transaction, agentId, { principal, except: keyId });
    const family = await this.keys.familyOf(transaction, agentId, keyId);
    return this.keys.revokeAmong(
      transaction,
      agentId,
      family.filter((id) => id !== keyId),
    );
  }
}

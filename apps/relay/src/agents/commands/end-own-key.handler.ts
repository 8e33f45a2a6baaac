import { RelayError } from '@agentrelay/protocol';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { UnitOfWork } from '../../database';
import { isId } from '../../http';
import { type ReplayableResult, IdempotencyService } from '../../idempotency';
import { ApiKeysRepository, CallingKey, refuseSuperseded } from '../../identity';
import { KeyRevocation } from '../key-revocation';
import { EndOwnKey } from './end-own-key.command';

@CommandHandler(EndOwnKey)
export class EndOwnKeyHandler implements ICommandHandler<EndOwnKey> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly callingKey: CallingKey,
    private readonly keys: ApiKeysRepository,
    private readonly revocation: KeyRevocation,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * @throws RelayError not_found when nothing of that id can be ended, also for a person's key asked for by an agent's;
   * unauthenticated, forbidden and conflict as for a rotation
   */
  async execute({ keyId, keepDescendants, context }: EndOwnKey): Promise<ReplayableResult<string[]>> {
    const { agentId, keyId: own, principal } = context.by;
    const answer = await this.unitOfWork.run(async (transaction) => {
      const key = await this.callingKey.lock(transaction, context.by);
      return this.idempotency.answerOnce(transaction, context, 'key.end', { keyId, keepDescendants }, async () => {
        if (keyId !== own) refuseSuperseded(key);
        const mayEnd = isId(keyId) && (await this.keys.isOf(transaction, agentId, keyId, principal));
        const family = { keyId, keepDescendants, spared: keyId === own ? undefined : own };
        const ended = mayEnd ? await this.revocation.revoke(transaction, agentId, family, context) : [];
        if (ended.length === 0)
          throw new RelayError('not_found', 'You have no live key of that id; GET /agents/me/keys lists them.');
        return ended;
      });
    });
    this.revocation.forget(answer.value);
    return answer;
  }
}

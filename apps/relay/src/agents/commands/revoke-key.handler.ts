import { RelayError } from '@agentrelay/protocol';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { UnitOfWork } from '../../database';
import { isId } from '../../http';
import { type ReplayableResult, IdempotencyService } from '../../idempotency';
import { ApiKeysRepository } from '../../identity';
import { AgentsRepository } from '../agents.repository';
import { KeyRevocation } from '../key-revocation';
import { RevokeKey } from './revoke-key.command';

@CommandHandler(RevokeKey)
export class RevokeKeyHandler implements ICommandHandler<RevokeKey> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly agents: AgentsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly revocation: KeyRevocation,
    private readonly idempotency: IdempotencyService,
  ) {}

  /** @throws RelayError not_found when there is no such agent, or nothing of that id lives */
  async execute({ handle, keyId, keepDescendants, context }: RevokeKey): Promise<ReplayableResult<string[]>> {
    const { agentId, handle: canonical } = await this.agents.require(handle);
    const answer = await this.unitOfWork.run(async (transaction) => {
      await this.keys.lockAgent(transaction, agentId);
      const args = { agentId, keyId, keepDescendants };
      return this.idempotency.answerOnce(transaction, context, 'key.end', args, async () => {
        const family = { keyId, keepDescendants };
        const ended = isId(keyId) ? await this.revocation.revoke(transaction, agentId, family, context) : [];
        if (ended.length > 0) return ended;
        throw new RelayError('not_found', `${canonical} has no live key of that id; GET its keys to see them.`);
      });
    });
    this.revocation.forget(answer.value);
    return answer;
  }
}

import { RelayError } from '@agentrelay/protocol';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { UnitOfWork } from '../../database';
import { isId } from '../../edge';
import { EventLogRepository } from '../../events';
import { ApiKeysRepository, Authenticator } from '../../identity';
import { AgentsRepository } from '../agents.repository';
import { RevokeKey } from './revoke-key.command';

@CommandHandler(RevokeKey)
export class RevokeKeyHandler implements ICommandHandler<RevokeKey> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly agents: AgentsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly authenticator: Authenticator,
    private readonly events: EventLogRepository,
  ) {}

  async execute({ handle, keyId, invocation }: RevokeKey): Promise<void> {
    const agent = await this.agents.require(handle);
    await this.unitOfWork.run(async (transaction) => {
      if (!isId(keyId) || !(await this.keys.revoke(transaction, agent.agentId, keyId))) {
        throw new RelayError('not_found', `${agent.handle} has no live key of that id; GET its keys to see them.`);
      }
      await this.events.append(transaction, 'key.revoked', agent.agentId, { key_id: keyId }, invocation);
    });
    this.authenticator.forget(keyId);
  }
}

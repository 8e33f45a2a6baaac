import { RelayError } from '@agentrelay/protocol';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { UnitOfWork } from '../../database';
import { EventLogRepository } from '../../events';
import { type ReplayableResult, IdempotencyService } from '../../idempotency';
import { CallingKey } from '../../identity';
import { AgentsRepository } from '../agents.repository';
import { recipientNotFound } from '../recipient-not-found';
import { BlockTeammate } from './block-teammate.command';
import { BlocksRepository, type BlockView, MAX_BLOCKS } from './blocks.repository';

@CommandHandler(BlockTeammate)
export class BlockTeammateHandler implements ICommandHandler<BlockTeammate> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly callingKey: CallingKey,
    private readonly agents: AgentsRepository,
    private readonly blocks: BlocksRepository,
    private readonly events: EventLogRepository,
    private readonly idempotency: IdempotencyService,
  ) {}

  /** @throws RelayError recipient_not_found, invalid_params, conflict, unauthenticated when the key or the agent ended meanwhile */
  async execute({ handle, reason, context }: BlockTeammate): Promise<ReplayableResult<BlockView>> {
    const caller = context.by;
    const teammate = await this.agents.find(handle);
    if (teammate === undefined) throw recipientNotFound(handle);
    if (teammate.agentId === caller.agentId) {
      throw new RelayError('invalid_params', 'You cannot block yourself.', { field: 'handle' });
    }
    const reserved = await this.unitOfWork.run(async (transaction) => {
      await this.blocks.lockBlocker(transaction, caller.agentId);
      await this.callingKey.ensureLives(transaction, caller);
      const args = { agentId: teammate.agentId, reason };
      const reservation = await this.idempotency.reserve(transaction, context, 'block.add', args);
      if (reservation === 'repeated') return reservation;
      if (await this.blocks.insert(transaction, caller.agentId, teammate.agentId, reason)) {
        await this.events.append(transaction, 'block.added', caller.agentId, { blocked_id: teammate.agentId }, context);
      }
      return reservation;
    });
    const block = await this.blocks.find(caller.agentId, teammate.agentId);
    if (block !== undefined) return { value: block, replayed: reserved === 'repeated' };
    throw reserved === 'repeated'
      ? new RelayError('conflict', 'This block was removed since; send it with a new idempotency key.', {
          field: 'idempotency_key',
        })
      : new RelayError('conflict', `You already block ${MAX_BLOCKS} teammates; unblock some first.`, {
          limit: MAX_BLOCKS,
        });
  }
}

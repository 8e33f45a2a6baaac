import type { WireTransition } from '@agentrelay/protocol';
import { CommandBus } from '@nestjs/cqrs';
import { PublicUrl } from '../../config';
import { CancelHandoff, wireTransition } from '../../handoffs';
import type { CommandContext } from '../../identity';
import { targetOf, VersionedTaskParams } from '../method.params';
import { type RpcHandler, RpcMethod } from '../rpc-method.decorator';

/** The sender withdraws a pending handoff; the same command as `tasks/update` with `cancel`. */
@RpcMethod({
  name: 'tasks/cancel',
  summary: 'Withdraws a pending handoff; the same command as `tasks/update` with `cancel`.',
  params: VersionedTaskParams,
  writes: true,
})
export class TasksCancelMethod implements RpcHandler<VersionedTaskParams> {
  constructor(
    private readonly commands: CommandBus,
    private readonly publicUrl: PublicUrl,
  ) {}

  async handle(params: VersionedTaskParams, context: CommandContext): Promise<WireTransition> {
    const result = await this.commands.execute(new CancelHandoff(targetOf(params), context));
    return wireTransition(result, this.publicUrl.inbox(result.handoffId));
  }
}

import type { WireTransition } from '@agentrelay/protocol';
import { CommandBus } from '@nestjs/cqrs';
import { PublicUrl } from '../../config';
import { Optional, WholeNumber } from '../../edge';
import { CancelHandoff, wireTransition } from '../../handoffs';
import type { Invocation } from '../../identity';
import { TaskParams } from '../method.params';
import { type RpcHandler, RpcMethod } from '../rpc-method.decorator';

export class TasksCancelParams extends TaskParams {
  @Optional()
  @WholeNumber(1, 2_147_483_647)
  expected_version?: number;
}

/** The sender withdraws a pending handoff; the same command as `tasks/update` with `cancel`. */
@RpcMethod({
  name: 'tasks/cancel',
  summary: 'Withdraws a pending handoff; the same command as `tasks/update` with `cancel`.',
  params: TasksCancelParams,
  writes: true,
})
export class TasksCancelMethod implements RpcHandler<TasksCancelParams> {
  constructor(
    private readonly commands: CommandBus,
    private readonly publicUrl: PublicUrl,
  ) {}

  async handle(params: TasksCancelParams, invocation: Invocation): Promise<WireTransition> {
    const args = { handoffId: params.task_id.toLowerCase(), expectedVersion: params.expected_version };
    const result = await this.commands.execute(new CancelHandoff(args, invocation));
    return wireTransition(result, this.publicUrl.inbox(result.handoffId));
  }
}

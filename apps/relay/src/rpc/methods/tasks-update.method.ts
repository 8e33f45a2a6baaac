import type { WireTransition } from '@agentrelay/protocol';
import type { Type } from '@nestjs/common';
import { PublicUrl } from '../../config';
import { wireTransition } from '../../handoffs';
import type { CommandContext } from '../../identity';
import { type RpcHandler, RpcMethod } from '../rpc-method.decorator';
import { TransitionRegistry } from '../transitions/transition-registry';
import { TransitionParams } from '../transitions/transition.params';

/** Moves a handoff through its states: looks up the transition that was asked for, and encodes what it answers. */
@RpcMethod({
  name: 'tasks/update',
  summary: 'Moves a handoff through its states by one of the transitions below.',
  params: TransitionParams,
  writes: true,
})
export class TasksUpdateMethod implements RpcHandler<TransitionParams> {
  constructor(
    private readonly transitions: TransitionRegistry,
    private readonly publicUrl: PublicUrl,
  ) {}

  paramsOf(params: Readonly<Record<string, unknown>>): Type<TransitionParams> {
    return this.transitions.paramsOf(params);
  }

  async handle(params: TransitionParams, context: CommandContext): Promise<WireTransition> {
    const result = await this.transitions.get(params.transition).perform(params, context);
    return wireTransition(result, this.publicUrl.inbox(result.handoffId));
  }
}

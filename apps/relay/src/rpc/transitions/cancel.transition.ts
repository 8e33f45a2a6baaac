import { CommandBus } from '@nestjs/cqrs';
import { CancelHandoff, type TransitionResult } from '../../handoffs';
import type { CommandContext } from '../../identity';
import { targetOf } from '../method.params';
import { TaskTransition, type TransitionHandler } from './task-transition.decorator';
import { TransitionParams } from './transition.params';

/** The sender withdraws a pending handoff. */
@TaskTransition({ name: 'cancel', params: TransitionParams })
export class CancelTransition implements TransitionHandler<TransitionParams> {
  constructor(private readonly commands: CommandBus) {}

  perform(params: TransitionParams, context: CommandContext): Promise<TransitionResult> {
    return this.commands.execute(new CancelHandoff(targetOf(params), context));
  }
}

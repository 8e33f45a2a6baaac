import type { Type } from '@nestjs/common';
import { register } from '../../extensions';
import type { TransitionResult } from '../../handoffs';
import type { Caller, CommandContext } from '../../identity';
import type { TransitionParams } from './transition.params';

/** How a transition presents itself to `tasks/update`. */
export interface TaskTransitionOptions<Params extends TransitionParams> {
  /** Its name on the wire, such as `accept`. */
  name: string;
  /** The DTO of its parameters, those of all transitions included. */
  params: Type<Params>;
}

/** Moves a handoff from one state to another, as a caller of `tasks/update` asked. */
export interface TransitionHandler<Params extends TransitionParams> {
  perform(params: Params, context: CommandContext<Caller>): Promise<TransitionResult>;
}

export const TASK_TRANSITION = Symbol('task transition');

/** Registers a class as a transition of `tasks/update`. The class is a provider of its module; nothing else names it. */
export function TaskTransition<Params extends TransitionParams>(options: TaskTransitionOptions<Params>) {
  return register<TransitionHandler<Params>>(TASK_TRANSITION, options);
}

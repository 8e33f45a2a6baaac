import { CommandBus } from '@nestjs/cqrs';
import { Optional, IsText, IsBoolean } from '../../http';
import { AcceptHandoff, type TransitionResult } from '../../handoffs';
import type { CommandContext } from '../../identity';
import { targetOf } from '../method.params';
import { TaskTransition, type TransitionHandler } from './task-transition.decorator';
import { TransitionParams } from './transition.params';

export class AcceptParams extends TransitionParams {
  @Optional()
  @IsText({ max: 'sessionIdLength' })
  session_id?: string;

  @Optional()
  @IsBoolean()
  include_thread?: boolean;
}

/** The recipient takes the work on. */
@TaskTransition({ name: 'accept', params: AcceptParams })
export class AcceptTransition implements TransitionHandler<AcceptParams> {
  constructor(private readonly commands: CommandBus) {}

  perform(params: AcceptParams, context: CommandContext): Promise<TransitionResult> {
    // An empty session id names no session.
    const sessionId = params.session_id === '' ? undefined : params.session_id;
    const args = { ...targetOf(params), sessionId, includeThread: params.include_thread ?? false };
    return this.commands.execute(new AcceptHandoff(args, context));
  }
}

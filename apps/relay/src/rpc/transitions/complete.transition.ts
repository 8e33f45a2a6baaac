import { type Artifact, type Outcome, OUTCOMES, RelayError } from '@agentrelay/protocol';
import { CommandBus } from '@nestjs/cqrs';
import { Artifacts, IsIn, Optional, IsText } from '../../http';
import { CompleteHandoff, type TransitionResult } from '../../handoffs';
import type { CommandContext } from '../../identity';
import { targetOf } from '../method.params';
import { TaskTransition, type TransitionHandler } from './task-transition.decorator';
import { TransitionParams } from './transition.params';

export class CompleteParams extends TransitionParams {
  /** Taken as with accept; it decides nothing here. */
  @Optional()
  @IsText({ max: 'sessionIdLength' })
  session_id?: string;

  @Optional()
  @IsText({ min: 1, max: 'resultSummary' })
  result_summary?: string;

  @Optional()
  @Artifacts('artifactsPerMessage')
  artifacts?: Artifact[];

  @Optional()
  @IsIn(OUTCOMES)
  outcome?: Outcome;
}

/** The recipient closes the thread with a result. */
@TaskTransition({ name: 'complete', params: CompleteParams })
export class CompleteTransition implements TransitionHandler<CompleteParams> {
  constructor(private readonly commands: CommandBus) {}

  /** @throws RelayError invalid_params without a result summary */
  async perform(params: CompleteParams, context: CommandContext): Promise<TransitionResult> {
    const { result_summary: resultSummary, artifacts = [], outcome = 'answered' } = params;
    if (resultSummary === undefined) {
      throw new RelayError(
        'invalid_params',
        'result_summary is required to complete: say what was done, or why it was not.',
        { field: 'result_summary' },
      );
    }
    const args = { ...targetOf(params), resultSummary, artifacts, outcome };
    return this.commands.execute(new CompleteHandoff(args, context));
  }
}

import { type Artifact, type Outcome, OUTCOMES, RelayError } from '@agentrelay/protocol';
import { CommandBus } from '@nestjs/cqrs';
import { Artifacts, OneOf, Optional, Text } from '../../http';
import { CompleteHandoff, type TransitionResult } from '../../handoffs';
import type { Invocation } from '../../identity';
import { targetOf } from '../method.params';
import { TaskTransition, type TransitionHandler } from './task-transition.decorator';
import { TransitionParams } from './transition.params';

export class CompleteParams extends TransitionParams {
  /** Taken as with accept; it decides nothing here. */
  @Optional()
  @Text({ max: 'sessionIdLength' })
  session_id?: string;

  @Optional()
  @Text({ min: 1, max: 'resultSummary' })
  result_summary?: string;

  @Optional()
  @Artifacts('artifactsPerMessage')
  artifacts?: Artifact[];

  @Optional()
  @OneOf(OUTCOMES)
  outcome?: Outcome;
}

/** The recipient closes the thread with a result. */
@TaskTransition({ name: 'complete', params: CompleteParams })
export class CompleteTransition implements TransitionHandler<CompleteParams> {
  constructor(private readonly commands: CommandBus) {}

  /** @throws RelayError invalid_params without a result summary */
  async perform(params: CompleteParams, invocation: Invocation): Promise<TransitionResult> {
    const { result_summary: resultSummary, artifacts = [], outcome = 'answered' } = params;
    if (resultSummary === undefined) {
      throw new RelayError(
        'invalid_params',
        'result_summary is required to complete: say what was done, or why it was not.',
        { field: 'result_summary' },
      );
    }
    const args = { ...targetOf(params), resultSummary, artifacts, outcome };
    return this.commands.execute(new CompleteHandoff(args, invocation));
  }
}

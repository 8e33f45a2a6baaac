import {
  type Artifact,
  type Outcome,
  OUTCOMES,
  RelayError,
  type Transition,
  TRANSITIONS,
  type WireTransition,
} from '@agentrelay/protocol';
import { CommandBus } from '@nestjs/cqrs';
import { PublicUrl } from '../../config';
import { Artifacts, OneOf, Optional, Text, TrueOrFalse, WholeNumber } from '../../edge';
import { AcceptHandoff, CancelHandoff, CompleteHandoff, type TransitionResult, wireTransition } from '../../handoffs';
import type { Invocation } from '../../identity';
import { TaskParams } from '../method.params';
import { type RpcHandler, RpcMethod } from '../rpc-method.decorator';

const MAX_VERSION = 2_147_483_647;

export class TasksUpdateParams extends TaskParams {
  @OneOf(TRANSITIONS)
  transition!: Transition;

  @Optional()
  @WholeNumber(1, MAX_VERSION)
  expected_version?: number;

  @Optional()
  @Text({ max: 'sessionIdLength' })
  session_id?: string;

  @Optional()
  @TrueOrFalse()
  include_thread?: boolean;

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

type Parameter = 'session_id' | 'include_thread' | 'result_summary' | 'artifacts' | 'outcome';

/** Which parameters each transition takes besides those of all (wire.md, "Parameters of the transitions"). */
const TAKES: Record<Transition, readonly Parameter[]> = {
  accept: ['session_id', 'include_thread'],
  complete: ['session_id', 'result_summary', 'artifacts', 'outcome'],
  cancel: [],
};
const PARAMETERS = ['session_id', 'include_thread', 'result_summary', 'artifacts', 'outcome'] as const;

/** Moves a handoff through its states. */
@RpcMethod({
  name: 'tasks/update',
  summary: 'Accepts, completes or cancels a handoff.',
  params: TasksUpdateParams,
  writes: true,
})
export class TasksUpdateMethod implements RpcHandler<TasksUpdateParams> {
  constructor(
    private readonly commands: CommandBus,
    private readonly publicUrl: PublicUrl,
  ) {}

  async handle(params: TasksUpdateParams, invocation: Invocation): Promise<WireTransition> {
    const misplaced = PARAMETERS.find((name) => params[name] !== undefined && !TAKES[params.transition].includes(name));
    if (misplaced !== undefined) {
      throw new RelayError(
        'invalid_params',
        `${misplaced} does not belong to the transition ${params.transition}; leave it out.`,
        {
          field: misplaced,
        },
      );
    }
    const result = await this.move(params, invocation);
    return wireTransition(result, this.publicUrl.inbox(result.handoffId));
  }

  private move(params: TasksUpdateParams, invocation: Invocation): Promise<TransitionResult> {
    const target = { handoffId: params.task_id.toLowerCase(), expectedVersion: params.expected_version };
    switch (params.transition) {
      case 'accept': {
        // An empty session id names no session.
        const sessionId = params.session_id === '' ? undefined : params.session_id;
        const args = { ...target, sessionId, includeThread: params.include_thread ?? false };
        return this.commands.execute(new AcceptHandoff(args, invocation));
      }
      case 'complete': {
        if (params.result_summary === undefined) {
          throw new RelayError(
            'invalid_params',
            'result_summary is required to complete: say what was done, or why it was not.',
            {
              field: 'result_summary',
            },
          );
        }
        const args = {
          ...target,
          resultSummary: params.result_summary,
          artifacts: params.artifacts ?? [],
          outcome: params.outcome ?? 'answered',
        };
        return this.commands.execute(new CompleteHandoff(args, invocation));
      }
      case 'cancel':
        return this.commands.execute(new CancelHandoff(target, invocation));
    }
  }
}

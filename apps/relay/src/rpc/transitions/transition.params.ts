import { Optional, Text, WholeNumber } from '../../edge';
import { TaskParams } from '../method.params';

const MAX_VERSION = 2_147_483_647;

/** What every transition of `tasks/update` takes. */
export class TransitionParams extends TaskParams {
  @Text({ min: 1, max: 'idempotencyKeyLength' })
  transition!: string;

  @Optional()
  @WholeNumber(1, MAX_VERSION)
  expected_version?: number;
}

/** What a transition addresses, as commands take it. */
export function targetOf(params: TransitionParams): { handoffId: string; expectedVersion: number | undefined } {
  return { handoffId: params.task_id.toLowerCase(), expectedVersion: params.expected_version };
}

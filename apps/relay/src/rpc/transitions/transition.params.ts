import { IsText } from '../../http';
import { VersionedTaskParams } from '../method.params';

/** What every transition of `tasks/update` takes. */
export class TransitionParams extends VersionedTaskParams {
  @IsText({ min: 1, max: 'idempotencyKeyLength' })
  transition!: string;
}

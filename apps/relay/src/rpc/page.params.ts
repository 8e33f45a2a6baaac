import { LIMITS } from '@agentrelay/protocol';
import { Optional, IsText, IsInt } from '../http';

/** Which page of a list is wanted. */
export class PageParams {
  @Optional()
  @IsInt(1, LIMITS.listPage)
  limit?: number;

  @Optional()
  @IsText({ min: 1, max: 200 })
  cursor?: string;
}

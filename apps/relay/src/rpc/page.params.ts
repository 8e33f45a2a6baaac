import { LIMITS } from '@agentrelay/protocol';
import { Optional, Text, WholeNumber } from '../http';

/** Which page of a list is wanted. */
export class PageParams {
  @Optional()
  @WholeNumber(1, LIMITS.listPage)
  limit?: number;

  @Optional()
  @Text({ min: 1, max: 200 })
  cursor?: string;
}

import { LIMITS } from '@agentrelay/protocol';
import { Id, JsonObject, Optional, Text } from '../edge';

/** What every method takes: free-form metadata, and the idempotency key where it writes. */
export class MethodParams {
  @Optional()
  @JsonObject(LIMITS.metadataBytes)
  metadata?: Record<string, unknown>;

  @Optional()
  @Text({ min: 1, max: LIMITS.idempotencyKeyLength })
  idempotency_key?: string;
}

/** What a method on one thread takes. */
export class TaskParams extends MethodParams {
  @Id()
  task_id!: string;
}

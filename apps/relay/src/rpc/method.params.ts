import { Id, JsonObject, Optional, Text } from '../edge';

/** What every method takes: free-form metadata, and the idempotency key where it writes. */
export class MethodParams {
  @Optional()
  @JsonObject('metadataBytes')
  metadata?: Record<string, unknown>;

  @Optional()
  @Text({ min: 1, max: 'idempotencyKeyLength' })
  idempotency_key?: string;
}

/** What a method on one thread takes. */
export class TaskParams extends MethodParams {
  @Id()
  task_id!: string;
}

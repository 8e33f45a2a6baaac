import { IsUuid, JsonObject, Optional, IsText, IsInt } from '../http';

const MAX_VERSION = 2_147_483_647;

/** What every method takes: free-form metadata, and the idempotency key where it writes. */
export class MethodParams {
  @Optional()
  @JsonObject('metadataBytes')
  metadata?: Record<string, unknown>;

  @Optional()
  @IsText({ min: 1, max: 'idempotencyKeyLength' })
  idempotency_key?: string;
}

/** What a method on one thread takes. */
export class TaskParams extends MethodParams {
  @IsUuid()
  task_id!: string;
}

/** What a method takes that moves a thread, if it wants to only from a version it knows. */
export class VersionedTaskParams extends TaskParams {
  @Optional()
  @IsInt(1, MAX_VERSION)
  expected_version?: number;
}

/** What such a method addresses, as commands take it. */
export function targetOf(params: VersionedTaskParams): { handoffId: string; expectedVersion: number | undefined } {
  return { handoffId: params.task_id.toLowerCase(), expectedVersion: params.expected_version };
}

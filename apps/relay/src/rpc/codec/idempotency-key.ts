import { LIMITS, RelayError } from '@agentrelay/protocol';
import { isPlainObject, stringFault } from '../../http';

const METADATA_KEY = 'client_idempotency_key';

/**
 * The one idempotency key of a call, wherever it was written: in `metadata`, as a parameter or in the header.
 * @throws RelayError invalid_params when two places disagree or the key is not 1 to 255 characters
 */
export function idempotencyKeyOf(params: object, header: string | undefined): string | undefined {
  const { metadata, idempotency_key: parameter } = params as { metadata?: unknown; idempotency_key?: unknown };
  const inMetadata = isPlainObject(metadata) ? metadata[METADATA_KEY] : undefined;
  const given = [inMetadata, parameter, header].filter((key) => key !== undefined && key !== null);
  const [key] = given;
  if (key === undefined) return undefined;
  const fault = stringFault(key, 1, LIMITS.idempotencyKeyLength);
  if (fault !== undefined) throw invalid(`The idempotency key ${fault}.`);
  if (given.some((other) => other !== key)) {
    throw invalid('The request carries two different idempotency keys; send one, or the same in both places.');
  }
  return key as string;
}

/** `metadata` as it is kept and shown: as sent, without the key. */
export function withoutIdempotencyKey(metadata: Record<string, unknown>): Record<string, unknown> {
  const { [METADATA_KEY]: _key, ...rest } = metadata;
  return rest;
}

function invalid(message: string): RelayError {
  return new RelayError('invalid_params', message, { field: 'idempotency_key' });
}

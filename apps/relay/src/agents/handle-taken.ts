import { RelayError } from '@agentrelay/protocol';

/** Handles are unique, whatever their case. */
export function handleTaken(handle: string, options?: ErrorOptions): RelayError {
  return new RelayError(
    'conflict',
    `The handle ${handle} is already registered; choose another one.`,
    { field: 'handle' },
    options,
  );
}

import { RelayError } from '@agentrelay/protocol';

/** Handles are unique, whatever their case. */
export function handleTaken(handle: string, options?: ErrorOptions): RelayError {
  return new RelayError(
    'conflict',
    `The handle ${handle} is already registered; choose another one. For a new key of it, an administrator makes an invite.`,
    { field: 'handle' },
    options,
  );
}

import { RelayError } from '@agentrelay/protocol';

/** Of a disabled agent no credential may be made: none of it works, and none may work once it is enabled again. */
export function agentDisabled(handle: string): RelayError {
  return new RelayError(
    'conflict',
    `${handle} is disabled. Enable it first: PATCH /admin/agents/${handle} with {"status": "active"}.`,
    { field: 'status' },
  );
}

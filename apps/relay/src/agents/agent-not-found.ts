import { RelayError } from '@agentrelay/protocol';

/** The answer of REST routes that name an agent in their path. */
export function agentNotFound(handle: string): RelayError {
  return new RelayError('not_found', `No agent has the handle ${handle}; GET /admin/agents lists them.`);
}

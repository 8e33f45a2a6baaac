import { ERRORS } from '@agentrelay/protocol';

/** wire.md, "Errors": what published clients know. A number once given is never given to another symbol. */
const CODES = {
  parse_error: [-32700, 400],
  invalid_request: [-32600, 400],
  method_not_found: [-32601, 404],
  invalid_params: [-32602, 400],
  unauthenticated: [-32001, 401],
  forbidden: [-32002, 403],
  rate_limited: [-32003, 429],
  recipient_not_found: [-32004, 404],
  thread_not_found: [-32006, 404],
  thread_terminal: [-32007, 409],
  invalid_transition: [-32008, 409],
  not_authorized_transition: [-32009, 403],
  state_changed: [-32010, 409],
  duplicate_idempotency_key: [-32011, 409],
  invalid_intent_payload: [-32012, 400],
  teammate_blocked: [-32013, 403],
  human_required: [-32023, 403],
  payload_too_large: [-32035, 413],
  cursor_expired: [-32036, 410],
  unavailable: [-32037, 503],
  internal: [-32099, 500],
  not_found: [undefined, 404],
  method_not_allowed: [undefined, 405],
  invalid_invite: [undefined, 401],
  invite_expired: [undefined, 410],
  conflict: [undefined, 409],
  unsupported_media_type: [undefined, 415],
};

describe('the error catalogue', () => {
  it('gives every symbol the numbers of the wire', () => {
    expect(Object.entries(ERRORS).map(([symbol, { rpc, http }]) => [symbol, [rpc, http]])).toEqual(
      Object.entries(CODES),
    );
  });
});

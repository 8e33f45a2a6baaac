/**
 * The error catalogue: every symbol the relay answers with, its JSON-RPC code and HTTP status
 * (wire.md, "Errors"). Symbols without an `rpc` code occur on REST paths only.
 */
export const ERRORS = {
  parse_error: { rpc: -32700, http: 400 },
  invalid_request: { rpc: -32600, http: 400 },
  method_not_found: { rpc: -32601, http: 404 },
  invalid_params: { rpc: -32602, http: 400 },
  unauthenticated: { rpc: -32001, http: 401 },
  forbidden: { rpc: -32002, http: 403 },
  rate_limited: { rpc: -32003, http: 429 },
  recipient_not_found: { rpc: -32004, http: 404 },
  thread_not_found: { rpc: -32006, http: 404 },
  thread_terminal: { rpc: -32007, http: 409 },
  invalid_transition: { rpc: -32008, http: 409 },
  not_authorized_transition: { rpc: -32009, http: 403 },
  state_changed: { rpc: -32010, http: 409 },
  duplicate_idempotency_key: { rpc: -32011, http: 409 },
  invalid_intent_payload: { rpc: -32012, http: 400 },
  teammate_blocked: { rpc: -32013, http: 403 },
  human_required: { rpc: -32023, http: 403 },
  payload_too_large: { rpc: -32035, http: 413 },
  cursor_expired: { rpc: -32036, http: 410 },
  unavailable: { rpc: -32037, http: 503 },
  internal: { rpc: -32099, http: 500 },
  not_found: { rpc: undefined, http: 404 },
  method_not_allowed: { rpc: undefined, http: 405 },
  invalid_invite: { rpc: undefined, http: 401 },
  invite_expired: { rpc: undefined, http: 410 },
  conflict: { rpc: undefined, http: 409 },
  unsupported_media_type: { rpc: undefined, http: 415 },
} as const satisfies Record<string, { rpc: number | undefined; http: number }>;

export type ErrorSymbol = keyof typeof ERRORS;

export type ErrorDetails = Readonly<Record<string, unknown>>;

/**
 * A refusal that a caller is told of. `message` says what was wrong and what to do next, and carries
 * nothing that the caller may not see; `details` are the facts behind it, for programs.
 */
export class RelayError extends Error {
  constructor(
    readonly symbol: ErrorSymbol,
    message: string,
    readonly details: ErrorDetails = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'RelayError';
  }
}

/** Whether `symbol` names an entry of the catalogue (a newer relay may know more than this client). */
export function isErrorSymbol(symbol: unknown): symbol is ErrorSymbol {
  return typeof symbol === 'string' && Object.hasOwn(ERRORS, symbol);
}

import { ERRORS, type RelayError, type WireRpcAnswer, type WireRpcError } from '@agentrelay/protocol';

export type RpcId = string | number | null;

/** One call as it was asked for, or what is wrong with it. */
export type RpcEntry =
  | { kind: 'call'; id: RpcId; answered: boolean; method: string; params: unknown }
  | { kind: 'faulty'; id: RpcId; error: RelayError };

/** A decoded request body. */
export type RpcRequest = { kind: 'single'; entry: RpcEntry } | { kind: 'batch'; entries: RpcEntry[] };

export function encodeResult(id: RpcId, result: unknown): WireRpcAnswer {
  return { jsonrpc: '2.0', id, result };
}

export function encodeError(id: RpcId, error: RelayError, requestId: string): WireRpcError {
  const data = { code: error.symbol, request_id: requestId, details: { ...error.details } };
  // Symbols that occur on REST paths alone have no code of their own.
  const code = ERRORS[error.symbol].rpc ?? ERRORS.invalid_request.rpc;
  return { jsonrpc: '2.0', id, error: { code, message: error.message, data } };
}

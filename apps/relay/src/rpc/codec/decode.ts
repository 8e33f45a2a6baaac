import { LIMITS, RelayError } from '@agentrelay/protocol';
import { isPlainObject, requestFault } from '../../edge';
import type { RpcEntry, RpcId, RpcRequest } from './json-rpc';

/**
 * Reads the bytes of a body as a JSON-RPC 2.0 request or batch (wire.md, "Envelope"). What is wrong with one entry
 * stays with that entry.
 * @throws RelayError parse_error or invalid_request for the body as a whole
 */
export function decode(body: Uint8Array | undefined): RpcRequest {
  const value = parse(body);
  if (!Array.isArray(value)) return { kind: 'single', entry: decodeEntry(value, true) };
  if (value.length === 0) throw new RelayError('invalid_request', 'The batch is empty; send at least one request.');
  if (value.length > LIMITS.batchEntries) {
    throw new RelayError(
      'invalid_request',
      `A batch has at most ${LIMITS.batchEntries} requests; send this one in parts.`,
      {
        limit: LIMITS.batchEntries,
      },
    );
  }
  return { kind: 'batch', entries: value.map((entry) => decodeEntry(entry, false)) };
}

function parse(body: Uint8Array | undefined): unknown {
  if (body === undefined || body.length === 0) {
    throw new RelayError('invalid_request', 'Send a JSON-RPC 2.0 request as application/json.');
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown;
  } catch (error) {
    throw new RelayError('parse_error', 'The body is not valid JSON in UTF-8.', {}, { cause: error });
  }
}

/** `answerAlways`: a single request without an id is answered with `id: null`, as seed 004's example expects. */
function decodeEntry(value: unknown, answerAlways: boolean): RpcEntry {
  if (!isPlainObject(value))
    return faulty(null, 'invalid_request', 'A request is an object with jsonrpc, method and params.');
  const id = idOf(value);
  const fault = requestFault(value);
  if (fault !== undefined) {
    return { kind: 'faulty', id, error: new RelayError(fault.symbol, fault.message, fault.details) };
  }
  if (value['jsonrpc'] !== '2.0') return faulty(id, 'invalid_request', 'The member jsonrpc must be "2.0".');
  if (typeof value['method'] !== 'string') return faulty(id, 'invalid_request', 'The member method must be a string.');
  if ('id' in value && !isId(value['id']))
    return faulty(null, 'invalid_request', 'The member id must be a string, a number or null.');
  return {
    kind: 'call',
    id,
    answered: answerAlways || 'id' in value,
    method: value['method'],
    params: value['params'],
  };
}

function faulty(id: RpcId, symbol: 'invalid_request', message: string): RpcEntry {
  return { kind: 'faulty', id, error: new RelayError(symbol, message) };
}

function isId(id: unknown): id is RpcId {
  return id === null || typeof id === 'string' || typeof id === 'number';
}

function idOf(value: Record<string, unknown>): RpcId {
  const id = value['id'];
  return isId(id) ? id : null;
}

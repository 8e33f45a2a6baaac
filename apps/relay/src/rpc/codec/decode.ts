import { LIMITS, RelayError } from '@agentrelay/protocol';
import { isPlainObject, type JsonFault, jsonFault, parseScanned, scanJson, stringFault } from '../../http';
import type { RpcEntry, RpcId, RpcRequest } from './json-rpc';

/**
 * Reads the bytes of a body as a JSON-RPC 2.0 request or batch (wire.md, "Envelope"). What is wrong with one entry
 * stays with that entry.
 * @throws RelayError parse_error or invalid_request for the body as a whole
 */
export function decode(body: Uint8Array | undefined): RpcRequest {
  if (body === undefined || body.length === 0) {
    throw new RelayError('invalid_request', 'Send a JSON-RPC 2.0 request as application/json.');
  }
  const { entries, faults } = scanJson(body, true);
  if (entries !== undefined) refuseBatchOf(entries);
  const value = parseScanned(body);
  const faultAt = (index: number): JsonFault | undefined => {
    const place = faults[index];
    return place === undefined ? undefined : jsonFault(body, place);
  };
  if (!Array.isArray(value)) return { kind: 'single', entry: decodeEntry(value, faultAt(0), true) };
  return { kind: 'batch', entries: value.map((entry, index) => decodeEntry(entry, faultAt(index), false)) };
}

function refuseBatchOf(entries: number): void {
  if (entries === 0) throw new RelayError('invalid_request', 'The batch is empty; send at least one request.');
  if (entries <= LIMITS.batchEntries) return;
  const message = `A batch has at most ${LIMITS.batchEntries} requests; send this one in parts.`;
  throw new RelayError('invalid_request', message, { limit: LIMITS.batchEntries });
}

/** `answerAlways`: a single request without an id is answered with `id: null`, as seed 004's example expects. */
function decodeEntry(value: unknown, fault: JsonFault | undefined, answerAlways: boolean): RpcEntry {
  if (!isPlainObject(value))
    return faulty(null, 'invalid_request', 'A request is an object with jsonrpc, method and params.');
  // An id that would come back as another number is none.
  const id = fault?.field === 'id' ? null : idOf(value);
  if (fault !== undefined) {
    return { kind: 'faulty', id, error: new RelayError(fault.symbol, fault.message, fault.details) };
  }
  if (value['jsonrpc'] !== '2.0') return faulty(id, 'invalid_request', 'The member jsonrpc must be "2.0".');
  if (typeof value['method'] !== 'string') return faulty(id, 'invalid_request', 'The member method must be a string.');
  if ('id' in value && !isId(value['id']))
    return faulty(
      null,
      'invalid_request',
      `The member id must be a string of at most ${LIMITS.rpcIdLength} characters, a number or null.`,
    );
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
  return id === null || typeof id === 'number' || stringFault(id, 0, LIMITS.rpcIdLength) === undefined;
}

function idOf(value: Record<string, unknown>): RpcId {
  const id = value['id'];
  return isId(id) ? id : null;
}

import type { RelayError } from '@agentrelay/protocol';
import type { FastifyRequest } from 'fastify';
import { type ErrorAnswer, ErrorDialect, type ErrorEncoder, errorHeaders, pathOf, statusOf } from '../http';
import { encodeError } from './codec/json-rpc';
import { RpcCalls } from './rpc-calls';
import { RPC_PATH } from './rpc.controller';

/** Errors that strike before or around the dispatcher, in the shape of the native API: about no entry, so without an id. */
@ErrorDialect('json-rpc')
export class RpcErrorDialect implements ErrorEncoder {
  constructor(private readonly calls: RpcCalls) {}

  owns(request: FastifyRequest): boolean {
    return request.method === 'POST' && pathOf(request) === RPC_PATH;
  }

  encode(error: RelayError, request: FastifyRequest): ErrorAnswer {
    this.calls.finished({ method: 'unknown', outcome: error.symbol, seconds: undefined });
    return { status: statusOf(error), headers: errorHeaders(error), body: encodeError(null, error, request.id) };
  }
}

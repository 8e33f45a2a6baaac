import type { RelayError } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type ErrorDialect, pathOf } from '../edge';
import { encodeError } from './codec/json-rpc';
import { RpcCalls } from './rpc-calls';
import { RPC_PATH } from './rpc.controller';

/** Errors that strike before or around the dispatcher, in the shape of the native door: about no entry, so without an id. */
@Injectable()
export class RpcErrorDialect implements ErrorDialect {
  constructor(private readonly calls: RpcCalls) {}

  owns(request: FastifyRequest): boolean {
    return request.method === 'POST' && pathOf(request) === RPC_PATH;
  }

  body(error: RelayError, request: FastifyRequest): object {
    this.calls.finished({ method: 'unknown', outcome: error.symbol, seconds: undefined });
    return encodeError(null, error, request.id);
  }
}

import { RelayError } from '@agentrelay/protocol';
import { Body, Controller, Headers, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerRoomOf, errorHeaders, noteFacts, RequestBody, statusOf } from '../http';
import { type Caller, CurrentCaller } from '../identity';
import { validTraceparent } from '../tracing';
import { decode } from './codec/decode';
import { type Dispatched, RpcDispatcher } from './rpc-dispatcher';

/** Where the native API stands. */
export const RPC_PATH = '/a2a';

const JSON_TYPE = 'application/json; charset=utf-8';

/** The native API: JSON-RPC 2.0 over POST (wire.md). */
@Controller(RPC_PATH)
export class RpcController {
  constructor(private readonly dispatcher: RpcDispatcher) {}

  @Post()
  @RequestBody({ limit: 'bodyBytes', as: 'bytes' })
  @HttpCode(200)
  async call(
    @Body() body: Uint8Array | undefined,
    @Headers('idempotency-key') idempotencyHeader: string | undefined,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | undefined> {
    const decoded = decode(body);
    const entries = decoded.kind === 'batch' ? decoded.entries : [decoded.entry];
    noteFacts(request.raw, { rpc_method: entries.map((entry) => this.dispatcher.methodOf(entry)).join(',') });
    const traceparent = validTraceparent(request.headers['traceparent']);
    const room = answerRoomOf(request);
    if (decoded.kind === 'batch') room.share();
    const call = { caller, requestId: request.id, idempotencyHeader, traceparent, room };
    if (decoded.kind === 'single') return single(await this.dispatcher.dispatch(decoded.entry, call, false), reply);
    if (idempotencyHeader !== undefined) {
      throw new RelayError(
        'invalid_request',
        'One Idempotency-Key header cannot stand for a batch; put a key into each entry.',
      );
    }
    const answers: string[] = [];
    for (const [index, entry] of decoded.entries.entries()) {
      // The request itself has been counted: that was its first entry.
      const { answer, answered } = await this.dispatcher.dispatch(entry, call, index > 0);
      if (answered) answers.push(answer);
    }
    if (answers.length > 0) {
      void reply.header('content-type', JSON_TYPE);
      return `[${answers.join(',')}]`;
    }
    void reply.status(204);
    return undefined;
  }
}

function single({ answer, error }: Dispatched, reply: FastifyReply): string {
  void reply.header('content-type', JSON_TYPE);
  if (error !== undefined) void reply.status(statusOf(error)).headers(errorHeaders(error));
  return answer;
}

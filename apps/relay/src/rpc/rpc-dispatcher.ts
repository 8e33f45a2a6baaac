import { RelayError } from '@agentrelay/protocol';
import { Injectable, Logger } from '@nestjs/common';
import {
  type AnswerRoom,
  answerTooLarge,
  isFailure,
  isPlainObject,
  noRoomInBatch,
  readDto,
  toRelayError,
} from '../http';
import { type Caller, subjectOf } from '../identity';
import { RateLimits } from '../rate-limiting';
import { activeTraceparent, traced } from '../tracing';
import { idempotencyKeyOf } from './codec/idempotency-key';
import { encodeError, encodeResult, type RpcEntry } from './codec/json-rpc';
import { RpcCalls } from './rpc-calls';
import { RpcRegistry } from './rpc-registry';

/** What all entries of one HTTP request share. */
export interface RpcCall {
  caller: Caller;
  requestId: string;
  idempotencyHeader: string | undefined;
  /** The trace that the caller told of. */
  traceparent: string | undefined;
  /** What all answers together may take. */
  room: AnswerRoom;
}

export interface Dispatched {
  /** The answer as JSON. */
  answer: string;
  /** False for an entry that asked for no answer. */
  answered: boolean;
  error: RelayError | undefined;
}

/** Runs one entry of a request: finds its method, reads its params, and turns what comes of it into an answer. */
@Injectable()
export class RpcDispatcher {
  private readonly logger = new Logger(RpcDispatcher.name);

  constructor(
    private readonly registry: RpcRegistry,
    private readonly rates: RateLimits,
    private readonly calls: RpcCalls,
  ) {}

  /** Never fails: whatever goes wrong is the answer. `counted`: whether the entry takes a token of the caller's rate. */
  async dispatch(entry: RpcEntry, call: RpcCall, counted: boolean): Promise<Dispatched> {
    const method = this.methodOf(entry);
    const started = performance.now();
    const span = { name: method, attributes: { 'rpc.system.name': 'jsonrpc', 'rpc.method': method } };
    const dispatched = await traced(span, () => this.answer(entry, call, counted));
    const outcome = dispatched.error?.symbol ?? 'ok';
    this.calls.finished({ method, outcome, seconds: (performance.now() - started) / 1_000 });
    return dispatched;
  }

  /** The registered method of an entry; `unknown` for any other name, and where none could be read. */
  methodOf(entry: RpcEntry): string {
    return entry.kind === 'call' && this.registry.has(entry.method) ? entry.method : 'unknown';
  }

  private async answer(entry: RpcEntry, call: RpcCall, counted: boolean): Promise<Dispatched> {
    const answered = entry.kind === 'faulty' || entry.answered;
    try {
      if (counted) this.rates.countCall(subjectOf(call.caller));
      if (entry.kind === 'faulty') throw entry.error;
      return { answer: await this.result(entry, call), answered, error: undefined };
    } catch (thrown) {
      const error = toRelayError(thrown);
      if (isFailure(error)) this.logger.error({ err: error.cause ?? error, reqId: call.requestId }, error.message);
      const answer = JSON.stringify(encodeError(entry.id, error, call.requestId));
      if (answered) call.room.use(Buffer.byteLength(answer));
      return { answer, answered, error };
    }
  }

  /** The result as JSON, counted. What was written is answered whatever it takes; what is only read has to have room. */
  private async result({ id, method, params, answered }: RpcEntry & { kind: 'call' }, call: RpcCall): Promise<string> {
    const { writes } = this.registry.get(method);
    const result = await this.perform(method, params, call);
    if (writes) call.room.owe();
    const answer = JSON.stringify(encodeResult(id, result));
    if (!answered) return answer;
    const bytes = Buffer.byteLength(answer);
    if (bytes > call.room.left && !writes) {
      throw call.room.isShared ? noRoomInBatch() : answerTooLarge();
    }
    call.room.use(bytes);
    return answer;
  }

  private perform(name: string, params: unknown, call: RpcCall): Promise<object> {
    const { caller, requestId, idempotencyHeader } = call;
    const method = this.registry.get(name);
    if (params !== undefined && params !== null && !isPlainObject(params)) {
      throw new RelayError('invalid_params', 'params must be an object of named values.');
    }
    const given = params ?? {};
    const read = readDto(method.handler.paramsOf?.(given) ?? method.params, given);
    const idempotencyKey = method.writes ? idempotencyKeyOf(read, idempotencyHeader) : undefined;
    return method.handler.handle(read, {
      by: caller,
      requestId,
      idempotencyKey,
      room: call.room,
      traceparent: activeTraceparent() ?? call.traceparent,
    });
  }
}

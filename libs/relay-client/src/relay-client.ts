import type { WireAgent, WireRpcAnswer } from '@agentrelay/protocol';
import { OutcomeUnknown, RelayRefusal } from './errors';
import { pauseBefore } from './retry';
import type { RpcMethods } from './rpc-methods';

export interface RelayClientOptions {
  /** Base URL of the relay, such as `https://relay.acme.dev`. */
  url: string;
  apiKey: string;
  /** Whole milliseconds that a call may take, retries included. */
  deadlineMs?: number;
}

/** A tool call never takes longer (mcp.md, "Process rules"). */
const DEFAULT_DEADLINE_MS = 50_000;
const ATTEMPT_TIMEOUT_MS = 15_000;
const MAX_ATTEMPTS = 3;

type Write = 'message/send' | 'tasks/draft' | 'tasks/update' | 'tasks/cancel';

/** Client of a relay's public HTTP surface. Transient failures are retried; a write always under the same idempotency key. */
export class RelayClient {
  private readonly base: string;

  constructor(private readonly options: RelayClientOptions) {
    this.base = options.url.replace(/\/+$/, '');
  }

  /** Calls a method that only reads; `waitMs` is how long the relay may take on purpose. @throws RelayRefusal, OutcomeUnknown */
  read<Method extends Exclude<keyof RpcMethods, Write>>(
    method: Method,
    params: RpcMethods[Method]['params'],
    waitMs = 0,
  ): Promise<RpcMethods[Method]['result']> {
    return this.call(method, params, waitMs);
  }

  /** Calls a method that writes, under an idempotency key of the caller. @throws RelayRefusal, OutcomeUnknown */
  write<Method extends Write>(
    method: Method,
    params: RpcMethods[Method]['params'],
    idempotencyKey: string,
  ): Promise<RpcMethods[Method]['result']> {
    return this.call(method, {
      ...params,
      metadata: { ...metadataOf(params), client_idempotency_key: idempotencyKey },
    });
  }

  /** Whose key this is. @throws RelayRefusal, OutcomeUnknown */
  async whoAmI(): Promise<WireAgent & { principal: string }> {
    return (await this.exchange('GET', '/agents/me', undefined)) as WireAgent & { principal: string };
  }

  private async call<Method extends keyof RpcMethods>(
    method: Method,
    params: object,
    waitMs = 0,
  ): Promise<RpcMethods[Method]['result']> {
    const answer = (await this.exchange(
      'POST',
      '/a2a',
      { jsonrpc: '2.0', id: 1, method, params },
      waitMs,
    )) as WireRpcAnswer;
    return (answer as { result: unknown }).result as RpcMethods[Method]['result'];
  }

  private async exchange(httpMethod: string, path: string, body: object | undefined, waitMs = 0): Promise<unknown> {
    const deadline = Date.now() + (this.options.deadlineMs ?? DEFAULT_DEADLINE_MS);
    for (let attempt = 1; ; attempt++) {
      const timeoutMs = Math.max(1, Math.min(ATTEMPT_TIMEOUT_MS + waitMs, deadline - Date.now()));
      const outcome = await this.attempt(httpMethod, path, body, timeoutMs);
      if (!('transient' in outcome)) return outcome.body;
      const pause = pauseBefore(attempt + 1, outcome.retryAfterMs);
      if (attempt >= MAX_ATTEMPTS || Date.now() + pause >= deadline) throw outcome.transient;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  /** One request: its body, or the transient failure that stands for it. @throws RelayRefusal when a retry cannot help */
  private async attempt(
    method: string,
    path: string,
    body: object | undefined,
    timeoutMs: number,
  ): Promise<{ body: unknown } | { transient: Error; retryAfterMs: number | undefined }> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${this.base}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${this.options.apiKey}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      text = await response.text();
    } catch (cause) {
      return {
        transient: new OutcomeUnknown(`The relay at ${this.base} does not answer.`, { cause }),
        retryAfterMs: undefined,
      };
    }
    const parsed = parseJson(text);
    if (response.ok && parsed !== undefined) return { body: parsed };
    const refusal = refusalOf(parsed, response.status);
    if (response.status !== 429 && response.status < 500) throw refusal;
    const seconds = Number(response.headers.get('retry-after'));
    // A refusal for the rate is certain; a server failure leaves open whether the write happened.
    const transient = response.status === 429 ? refusal : new OutcomeUnknown(refusal.message, { cause: refusal });
    return { transient, retryAfterMs: seconds > 0 ? seconds * 1_000 : undefined };
  }
}

function metadataOf(params: object): object {
  return (params as { metadata?: object }).metadata ?? {};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Reads either error shape of the relay; anything else came from something in between. */
function refusalOf(body: unknown, status: number): RelayRefusal {
  const { error, code, message, request_id, details } = (body ?? {}) as Record<string, unknown>;
  if (typeof error === 'object' && error !== null) {
    const rpc = error as { message?: unknown; data?: { code?: unknown; request_id?: unknown; details?: unknown } };
    return refusal(rpc.data?.code, rpc.message, rpc.data?.details, status, rpc.data?.request_id);
  }
  return refusal(code, message, details, status, request_id);
}

function refusal(
  symbol: unknown,
  message: unknown,
  details: unknown,
  status: number,
  requestId: unknown,
): RelayRefusal {
  return new RelayRefusal(
    typeof symbol === 'string' ? symbol : 'unavailable',
    typeof message === 'string'
      ? message
      : `The address answered with HTTP ${status} and is not a relay; check AGENTRELAY_URL.`,
    typeof details === 'object' && details !== null ? (details as Record<string, unknown>) : {},
    status,
    typeof requestId === 'string' ? requestId : undefined,
  );
}

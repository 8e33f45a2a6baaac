import { LIMITS, preview } from '@agentrelay/protocol';
import { parseAnswer, readText } from './bounded-body';
import { OutcomeUnknown, RelayRefusal, Unreachable } from './errors';
import { codeOf, neverLeft } from './failed-request';
import { type Proxy, proxyFor, shownProxy } from './proxy';
import { pauseBefore } from './retry';

export interface ConnectionOptions {
  /** Base URL of the relay, such as `https://relay.acme.dev`. */
  url: string;
  /** An API key or an admin token; none for what is public. */
  token?: string | undefined;
  /** Whole milliseconds that a call may take, retries included. */
  deadlineMs?: number | undefined;
  /** When everything that is asked over it must have ended, in milliseconds since the epoch. */
  deadline?: number | undefined;
  /** The trace that the requests belong to (W3C Trace Context). */
  traceparent?: string | undefined;
}

export interface ExchangeOptions {
  /** How long the relay may take on purpose. */
  waitMs?: number;
  /** How often to ask. Once, where a second time would do something else than the first. */
  attempts?: number;
  /** Whether it stores nothing: then the last answer counts alone. Default: what is asked with GET. */
  reads?: boolean;
  /** Under which the relay remembers a REST write, so that of all attempts it does one. */
  idempotencyKey?: string;
}

/** What the relay answered, and when, by its own clock. */
export interface Exchange {
  body: unknown;
  servedAt: Date | undefined;
}

/** Why one request has no answer; `isFinal` when a retry cannot help. */
interface Failure {
  failure: RelayRefusal | OutcomeUnknown | Unreachable;
  isFinal: boolean;
  retryAfterMs: number | undefined;
}

/** A tool call never takes longer (mcp.md, "Process rules"). */
const DEFAULT_DEADLINE_MS = 50_000;
const ATTEMPT_TIMEOUT_MS = 15_000;
const MAX_ATTEMPTS = 3;

/** Requests to one relay with one credential. Transient failures are retried. */
export class RelayConnection {
  private readonly base: string;
  private readonly proxy: Proxy | undefined;

  constructor(private readonly options: ConnectionOptions) {
    this.base = options.url.replace(/\/+$/, '');
    this.proxy = proxyFor(this.base, process.env);
  }

  /** The body of an answer. @throws RelayRefusal, OutcomeUnknown */
  async request(method: string, path: string, body?: object, options?: ExchangeOptions): Promise<unknown> {
    return (await this.exchange(method, path, body, options)).body;
  }

  /** As `request`, with what the answer says about itself. @throws RelayRefusal, OutcomeUnknown */
  async exchange(
    method: string,
    path: string,
    body?: object,
    { waitMs = 0, attempts = MAX_ATTEMPTS, reads = method === 'GET', idempotencyKey }: ExchangeOptions = {},
  ): Promise<Exchange> {
    const { deadlineMs = DEFAULT_DEADLINE_MS, deadline: last = Infinity } = this.options;
    const deadline = Math.min(Date.now() + deadlineMs, last);
    let inDoubt = false;
    for (let attempt = 1; ; attempt++) {
      const timeoutMs = Math.max(1, Math.min(ATTEMPT_TIMEOUT_MS + waitMs, deadline - Date.now()));
      const outcome = await this.attempt(method, path, body, timeoutMs, idempotencyKey);
      if (!('failure' in outcome)) return outcome;
      const { failure, isFinal, retryAfterMs } = outcome;
      const pause = pauseBefore(attempt + 1, retryAfterMs);
      if (isFinal || attempt >= attempts || Date.now() + pause >= deadline)
        throw inDoubt ? stillInDoubt(failure) : failure;
      inDoubt ||= !reads && failure instanceof OutcomeUnknown;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  /** One request: its answer, or the failure that stands for it. */
  private async attempt(
    method: string,
    path: string,
    body: object | undefined,
    timeoutMs: number,
    idempotencyKey: string | undefined,
  ): Promise<Exchange | Failure> {
    const { token, traceparent } = this.options;
    let response: Response;
    let text: string;
    try {
      response = await this.fetch(`${this.base}${path}`, {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(traceparent !== undefined && { traceparent }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      text = await readText(response);
    } catch (cause) {
      const through = this.proxy === undefined ? '' : ` through ${shownProxy(this.proxy)}`;
      const message = `The relay at ${this.base} does not answer${through} (${codeOf(cause)}).`;
      const failure = new (neverLeft(cause) ? Unreachable : OutcomeUnknown)(message, { cause });
      return { failure, isFinal: false, retryAfterMs: undefined };
    }
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null)
      return { failure: this.redirected(path, location, response.status), isFinal: true, retryAfterMs: undefined };
    const parsed = parseAnswer(text);
    if (response.ok && parsed !== undefined) return { body: parsed, servedAt: dateOf(response) };
    const refusal = refusalOf(parsed, response.status);
    if (response.status !== 429 && response.status < 500)
      return { failure: refusal, isFinal: true, retryAfterMs: undefined };
    const seconds = Number(response.headers.get('retry-after'));
    // A refusal for the rate is certain; a server failure leaves open whether the write happened.
    const failure = response.status === 429 ? refusal : new OutcomeUnknown(refusal.message, { cause: refusal });
    return { failure, isFinal: false, retryAfterMs: seconds > 0 ? seconds * 1_000 : undefined };
  }

  private async fetch(url: string, init: RequestInit): Promise<Response> {
    if (this.proxy === undefined) return fetch(url, init);
    const { proxiedFetch } = await import('./proxied-fetch.js');
    return proxiedFetch(this.proxy.url, url, init);
  }

  /** Following a redirect would send the key to an address that the user did not name. */
  private redirected(path: string, location: string, status: number): RelayRefusal {
    const target = location.endsWith(path) ? location.slice(0, -path.length) : location;
    const where = isPlainAddress(target) ? ` to ${target}; use that address` : ', which is not followed';
    return new RelayRefusal(
      'redirected',
      `The relay at ${this.base} answers with a redirect${where}.`,
      {},
      status,
      undefined,
    );
  }
}

/** Whether a redirect leads to what can be shown and used as an address of a relay. */
function isPlainAddress(target: string): boolean {
  return target.length <= 300 && /^https?:\/\/[A-Za-z0-9.:[\]-]+(\/[A-Za-z0-9._~%/-]*)?$/.test(target);
}

/** What comes after an attempt without an answer is the end of the matter only when it tells of that attempt too. */
function stillInDoubt(failure: RelayRefusal | OutcomeUnknown | Unreachable): RelayRefusal | OutcomeUnknown {
  if (failure instanceof OutcomeUnknown) return failure;
  if (failure instanceof Unreachable) return new OutcomeUnknown(failure.message, { cause: failure });
  if (failure.isOfEveryAttempt) return failure;
  return new OutcomeUnknown(`The relay did not answer at first, and then refused: ${failure.message}`, {
    cause: failure,
  });
}

function dateOf(response: Response): Date | undefined {
  const date = new Date(response.headers.get('date') ?? NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
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

/** Longer than any message of the catalogue. */
const MAX_MESSAGE = 2_000;

function refusal(
  symbol: unknown,
  message: unknown,
  details: unknown,
  status: number,
  requestId: unknown,
): RelayRefusal {
  return new RelayRefusal(
    typeof symbol === 'string' && /^[a-z_]{1,64}$/.test(symbol) ? symbol : 'unavailable',
    typeof message === 'string'
      ? preview(message, MAX_MESSAGE)
      : `The address answered with HTTP ${status} and is not a relay; check AGENTRELAY_URL.`,
    typeof details === 'object' && details !== null ? (details as Record<string, unknown>) : {},
    status,
    typeof requestId === 'string' ? requestId.slice(0, LIMITS.requestIdLength) : undefined,
    typeof message === 'string',
  );
}

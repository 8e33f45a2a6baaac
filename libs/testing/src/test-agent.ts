import { text as readText } from 'node:stream/consumers';
import type {
  WireAppended,
  WireEvents,
  WireRpcAnswer,
  WireRpcError,
  WireSent,
  WireThread,
  WireTransition,
} from '@agentrelay/protocol';
import request from 'supertest';
import { eventually } from './eventually';
import { noteSymbols } from './note-symbols';

/** An HTTP answer with its parsed body. */
export interface Answer<Body = unknown> {
  status: number;
  headers: Headers;
  body: Body;
}

/** An agent with a key, speaking plain HTTP to a relay as any client would. */
export class TestAgent {
  constructor(
    readonly url: string,
    readonly handle: string,
    readonly agentId: string,
    readonly apiKey: string,
  ) {}

  /** The same agent at another replica. */
  at(url: string): TestAgent {
    return new TestAgent(url, this.handle, this.agentId, this.apiKey);
  }

  /** The same agent with another credential. */
  withKey(apiKey: string): TestAgent {
    return new TestAgent(this.url, this.handle, this.agentId, apiKey);
  }

  /** Sends a body to the native API exactly as given. */
  async post<Body = WireRpcAnswer>(
    body: string | Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<Answer<Body>> {
    const response = await fetch(`${this.url}/a2a`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.apiKey}`, 'content-type': 'application/json', ...headers },
      body,
    });
    const text = await response.text();
    const answer: unknown = text === '' ? undefined : JSON.parse(text);
    noteSymbols(answer);
    return { status: response.status, headers: response.headers, body: answer as Body };
  }

  rpc(method: string, params?: object, headers: Record<string, string> = {}): Promise<Answer> {
    return this.post<WireRpcAnswer>(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers);
  }

  /** The result of a call that must succeed. */
  async call<Result = Record<string, unknown>>(
    method: string,
    params?: object,
    headers: Record<string, string> = {},
  ): Promise<Result> {
    const { body, status } = await this.rpc(method, params, headers);
    const answer = body as WireRpcAnswer;
    if ('error' in answer) throw new Error(`${method} was refused with ${status} ${JSON.stringify(answer.error)}`);
    return answer.result as Result;
  }

  /** The refusal of a call that must be refused. */
  async refusal(method: string, params?: object, headers: Record<string, string> = {}): Promise<Refusal> {
    const { body, status } = await this.rpc(method, params, headers);
    const answer = body as WireRpcAnswer;
    if (!('error' in answer)) throw new Error(`${method} was not refused but gave ${JSON.stringify(answer.result)}`);
    return refusalOf(answer, status);
  }

  /** Any REST route with this agent's key. */
  async rest<Body = Record<string, unknown>>(method: string, path: string, body?: object): Promise<Answer<Body>> {
    return restCall<Body>(this.url, this.apiKey, method, path, body);
  }

  /** Sends a handoff with a default summary. */
  send(recipient: string, params: object = {}, headers: Record<string, string> = {}): Promise<WireSent> {
    return this.call<WireSent>('message/send', { recipient, message: text('Please have a look.'), ...params }, headers);
  }

  /** The answer of `events/list`, once it holds at least so many events: the log shows them when no older write is open. */
  events(count: number, params: object = {}): Promise<WireEvents> {
    return eventually(`${this.handle} sees ${count} events`, async () => {
      const answer = await this.call<WireEvents>('events/list', params);
      return answer.events.length >= count && answer;
    });
  }

  append(taskId: string, body: string, params: object = {}): Promise<WireAppended> {
    return this.call<WireAppended>('message/send', { task_id: taskId, message: text(body), ...params });
  }

  get(taskId: string, params: object = {}): Promise<WireThread> {
    return this.call<WireThread>('tasks/get', { task_id: taskId, ...params });
  }

  accept(taskId: string, params: object = {}): Promise<WireTransition> {
    return this.call<WireTransition>('tasks/update', { task_id: taskId, transition: 'accept', ...params });
  }

  complete(taskId: string, params: object = {}): Promise<WireTransition> {
    return this.call<WireTransition>('tasks/update', {
      task_id: taskId,
      transition: 'complete',
      result_summary: 'Done.',
      ...params,
    });
  }

  cancel(taskId: string, params: object = {}): Promise<WireTransition> {
    return this.call<WireTransition>('tasks/cancel', { task_id: taskId, ...params });
  }
}

export interface Refusal {
  symbol: string;
  code: number;
  status: number;
  message: string;
  details: Record<string, unknown>;
}

export function refusalOf({ error }: WireRpcError, status: number): Refusal {
  return { symbol: error.data.code, code: error.code, status, message: error.message, details: error.data.details };
}

/** A message of one text part. */
export function text(body: string): object {
  return { role: 'user', parts: [{ type: 'text', text: body }] };
}

/** The body as it came: supertest would take a page for nothing, and a number for text. */
function asText(response: request.Response, done: (error: Error | null, body: unknown) => void): void {
  readText(response as unknown as NodeJS.ReadableStream).then(
    (body) => done(null, body),
    (cause: unknown) => done(cause as Error, ''),
  );
}

/** One call of a REST route, as a client without a key makes it, or with one. */
export async function restCall<Body>(
  url: string,
  token: string | undefined,
  method: string,
  path: string,
  body?: object,
): Promise<Answer<Body>> {
  const asked = request(url)[method.toLowerCase() as 'get'](path).buffer(true).parse(asText);
  if (token !== undefined) void asked.set('authorization', `Bearer ${token}`);
  if (body !== undefined) void asked.set('content-type', 'application/json').send(JSON.stringify(body));
  const response = await asked;
  const headers = new Headers(response.headers);
  const answer = response.body as string;
  const parsed: unknown = headers.get('content-type')?.includes('json') ? JSON.parse(answer) : answer;
  noteSymbols(parsed);
  return { status: response.status, headers, body: parsed as Body };
}

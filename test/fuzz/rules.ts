import { ERRORS, isErrorSymbol } from '@agentrelay/protocol';
import type { Reply } from './http-wire';

/** What an exchange was, as far as the rules depend on it. */
export interface Asked {
  method: string;
  target: string;
  /** False for bytes that Node's HTTP parser may refuse or that end before they are a request. */
  whole: boolean;
}

/** What must never be read in an answer: our inside. */
const INSIDE =
  /\bSELECT\b|\bINSERT INTO\b|\bstack\b|\n\s+at |\bat [\w.<>]* ?\(?\/|node_modules|\.ts:\d|\.js:\d|violates|SQLSTATE/;

/** Why a reply breaks the rules, or undefined. `secrets` are words that no answer may contain. */
export function faultOf(asked: Asked, reply: Reply, secrets: readonly string[]): string | undefined {
  const text = reply.body.toString('utf8');
  if (reply.status >= 500) return `status ${reply.status}`;
  const told = INSIDE.exec(text)?.[0] ?? secrets.find((word) => text.includes(word));
  if (told !== undefined) return `the body tells ${JSON.stringify(told)}`;
  if (isParserRefusal(reply)) return asked.whole ? 'the HTTP parser refused it' : undefined;
  if (reply.headers['x-request-id'] === undefined) return 'there is no X-Request-Id';
  if (asked.method === 'HEAD' || reply.status === 204 || reply.headers['content-type'] === 'text/event-stream') {
    return text === '' ? undefined : 'there is a body where none belongs';
  }
  if (/html|x-ndjson/.test(reply.headers['content-type'] ?? '')) return reply.status === 200 ? undefined : 'not JSON';
  if (!(reply.headers['content-type'] ?? '').startsWith('application/json')) return 'the body has no JSON content type';
  return bodyFault(asked, reply.status, text);
}

/** How the relay answers bytes that never became a request. */
const UNREADABLE = /The headers are larger than this relay takes|This is not HTTP that the relay can read/;

/** Refusals that Node makes itself, before there is a request: they have no body. */
function isParserRefusal({ status, body, headers }: Reply): boolean {
  return headers['x-request-id'] === undefined && body.length === 0 && [400, 408, 413, 417, 431].includes(status);
}

function bodyFault({ method, target }: Asked, status: number, text: string): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return 'the body is not JSON';
  }
  // What could not be read has no path yet: it is refused in the shape of REST wherever it was going.
  if (UNREADABLE.test(text) && restFault(status, body) === undefined) return undefined;
  if (method === 'POST' && target === '/a2a') return rpcFault(status, body);
  // Odd spellings of the native API may be taken for it or not.
  const either = /a2a|%61/i.test(target) && rpcFault(status, body) === undefined;
  return either || status < 400 ? undefined : restFault(status, body);
}

function restFault(status: number, body: unknown): string | undefined {
  const { code, message, request_id: requestId, details, ...rest } = (body ?? {}) as Record<string, unknown>;
  if (!isErrorSymbol(code)) return `${String(code)} is not in the catalogue`;
  if (ERRORS[code].http !== status) return `${code} with status ${status}`;
  const sound = typeof message === 'string' && typeof requestId === 'string' && typeof details === 'object';
  return sound && Object.keys(rest).length === 0 ? undefined : 'the error has another shape';
}

function rpcFault(status: number, body: unknown): string | undefined {
  if (!Array.isArray(body)) return answerFault(body, status);
  if (status !== 200) return `a batch with status ${status}`;
  for (const answer of body) {
    const fault = answerFault(answer, undefined);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function answerFault(answer: unknown, status: number | undefined): string | undefined {
  const { jsonrpc, id, result, error } = (answer ?? {}) as Record<string, unknown>;
  if (jsonrpc !== '2.0') return 'not a JSON-RPC answer';
  if (id !== null && typeof id !== 'string' && typeof id !== 'number') return 'an odd id';
  if ((result === undefined) === (error === undefined)) return 'neither or both of result and error';
  if (error === undefined) return status === 200 || status === undefined ? undefined : `a result with status ${status}`;
  const { code, data } = error as { code: unknown; data: { code: unknown; request_id: unknown; details: unknown } };
  if (!isErrorSymbol(data.code)) return `${String(data.code)} is not in the catalogue`;
  const { rpc = ERRORS.invalid_request.rpc, http } = ERRORS[data.code];
  if (code !== rpc) return `${data.code} with code ${String(code)}`;
  if (status !== undefined && status !== http) return `${data.code} with status ${status}`;
  return Object.keys(data).join() === 'code,request_id,details' ? undefined : 'error.data has another shape';
}

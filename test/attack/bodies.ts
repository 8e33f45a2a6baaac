import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import type { Random } from '../chaos/random';

/** A hostile JSON value of about so many bytes, as JSON text: what is expensive is its shape. */
export type Shape = (bytes: number) => string;

const repeat = (unit: string, bytes: number, separator = ','): string =>
  Array.from({ length: Math.max(1, Math.floor(bytes / (unit.length + separator.length))) }, () => unit).join(separator);

function keys(bytes: number, name: (n: number) => string): string {
  const parts: string[] = [];
  for (let n = 0, size = 0; size < bytes; n++) {
    const part = `${JSON.stringify(name(n))}:0`;
    parts.push(part);
    size += part.length + 1;
  }
  return `{${parts.join()}}`;
}

/** Shapes that are valid JSON, each a value. */
export const SHAPES: Record<string, Shape> = {
  'list of zeros': (bytes) => `[${repeat('0', bytes)}]`,
  'list of empty lists': (bytes) => `[${repeat('[]', bytes)}]`,
  'list of empty objects': (bytes) => `[${repeat('{}', bytes)}]`,
  'list of empty texts': (bytes) => `[${repeat('""', bytes)}]`,
  'list of nulls': (bytes) => `[${repeat('null', bytes)}]`,
  'list of small objects': (bytes) => `[${repeat('{"a":{"b":[1]}}', bytes)}]`,
  'nested lists': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'nested objects': (bytes) => '{"a":'.repeat(bytes / 6) + '0' + '}'.repeat(bytes / 6),
  'many nests of 30 levels': (bytes) => `[${repeat(`${'['.repeat(30)}${']'.repeat(30)}`, bytes)}]`,
  'many keys': (bytes) => keys(bytes, (n) => `k${n}`),
  'many equal keys': (bytes) => keys(bytes, () => 'a'),
  'many numeric keys': (bytes) => keys(bytes, (n) => String(n * 7_919)),
  'many prototype keys': (bytes) => keys(bytes, (n) => ['__proto__', 'constructor', 'toString'][n % 3] ?? ''),
  'keys of one length': (bytes) => keys(bytes, (n) => String(n).padStart(12, 'x')),
  'long text': (bytes) => `"${'x'.repeat(bytes)}"`,
  'long text of escapes': (bytes) => `"${'\\u00e9'.repeat(bytes / 6)}"`,
  'long text of emoji': (bytes) => `"${'👩‍👩‍👧'.repeat(bytes / 18)}"`,
  'long text of combining marks': (bytes) => `"${'e\u0301\u0323'.repeat(bytes / 5)}"`,
  'long text of zero-width characters': (bytes) => `"${'\u200b'.repeat(bytes / 3)}"`,
  'text that ends in NUL': (bytes) => `"${'x'.repeat(bytes)}\\u0000"`,
  'text that ends in half a pair': (bytes) => `"${'x'.repeat(bytes)}\\ud800"`,
  'list of halves of pairs': (bytes) => `[${repeat('"\\ud800"', bytes)}]`,
  'long key': (bytes) => `{"${'k'.repeat(bytes)}":1}`,
  'list of 1e300': (bytes) => `[${repeat('1e300', bytes)}]`,
  'list of 1e400': (bytes) => `[${repeat('1e400', bytes)}]`,
  'list of 5e-324': (bytes) => `[${repeat('5e-324', bytes)}]`,
  'one number of many digits': (bytes) => '7'.repeat(bytes),
  'list of numbers of 300 digits': (bytes) => `[${repeat('9'.repeat(300), bytes)}]`,
  'list of integers beyond 2^53': (bytes) => `[${repeat('9007199254740993', bytes)}]`,
  'list of faulty artifacts': (bytes) => `[${repeat('{"type":"file_diff"}', bytes)}]`,
  'list of unknown artifacts': (bytes) => `[${repeat('{"type":"x"}', bytes)}]`,
};

/** Bodies that are not JSON, of about so many bytes. */
export const SPOILT: Record<string, (bytes: number) => Buffer> = {
  'white space': (bytes) => Buffer.alloc(bytes, ' '),
  'opening brackets': (bytes) => Buffer.alloc(bytes, '['),
  'bytes that are no UTF-8': (bytes) =>
    Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(bytes, 0xff), Buffer.from('"}')]),
  'overlong UTF-8': (bytes) =>
    Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(bytes, Buffer.from([0xc0, 0x80])), Buffer.from('"}')]),
  'half a list': (bytes) => Buffer.from(`[${repeat('0', bytes)}`),
  'half a text': (bytes) => Buffer.from(`{"a":"${'x'.repeat(bytes)}`),
  'NUL bytes': (bytes) => Buffer.alloc(bytes),
  'a mark of byte order and a list': (bytes) => Buffer.from(`\ufeff[${repeat('0', bytes)}]`),
  quotes: (bytes) => Buffer.alloc(bytes, '"'),
  'backslashes in a text': (bytes) => Buffer.from(`"${'\\'.repeat(bytes)}"`),
  'many values in a row': (bytes) => Buffer.from(repeat('{}', bytes, '\n')),
  'a fault at the end': (bytes) => Buffer.from(`[${repeat('0', bytes)}],`),
};

/** A body with what its headers say of its compression. */
export interface Body {
  name: string;
  bytes: Buffer;
  encoding?: string;
}

/** Members that the relay knows, one of which carries the hostile value. */
const MEMBERS = ['token', 'handle', 'display_name', 'skills', 'repos_owned', 'description', 'reason', 'overlap_seconds', 'label', 'expires_at', 'inviter_handle', 'x']; // prettier-ignore
const CALLS: readonly (readonly [method: string, params: readonly string[]])[] = [
  ['message/send', ['recipient', 'message', 'artifacts', 'proposed_action', 'payload', 'metadata', 'task_id', 'intent', 'idempotency_key']],
  ['tasks/get', ['task_id', 'history_length', 'after_sequence_no', 'metadata']],
  ['tasks/list', ['filter', 'page', 'peek']],
  ['tasks/update', ['task_id', 'transition', 'result_summary', 'artifacts', 'session_id']],
  ['tasks/draft', ['task_id', 'drafted_diff', 'drafted_files', 'rationale']],
  ['agents/list', ['role', 'skill', 'repo']],
  ['events/list', ['cursor', 'types', 'limit']],
]; // prettier-ignore

/** A value of a shape where a body of the native API can carry it. */
export function rpcBody(shape: string, value: string, random: Random): Body {
  const [method, params] = random.pick(CALLS);
  const param = random.pick(params);
  const inner = param === 'message' ? `{"role":"user","parts":[{"type":"text","text":${value}}]}` : value;
  const rest = method === 'message/send' && param !== 'recipient' ? '"recipient":"nobody@acme",' : '';
  const text =
    random.next() < 0.15
      ? value
      : random.next() < 0.1
        ? `[${Array.from({ length: 20 }, (_, id) => envelope(id, method, `{${rest}${JSON.stringify(param)}:${inner.length > 200_000 ? '0' : inner}}`)).join()}]`
        : envelope(1, method, `{${rest}${JSON.stringify(param)}:${inner}}`);
  return { name: `${method} ${param}: ${shape}`, bytes: Buffer.from(text) };
}

function envelope(id: number, method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
}

/** A value of a shape where the body of another route can carry it. */
export function restBody(shape: string, value: string, random: Random): Body {
  const member = random.pick(MEMBERS);
  const text = random.chance(0.2) ? value : `{${JSON.stringify(member)}:${value}}`;
  return { name: `${member}: ${shape}`, bytes: Buffer.from(text) };
}

const COMPRESSED: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: (bytes) => gzipSync(bytes, { level: 1 }),
  deflate: (bytes) => deflateSync(bytes, { level: 1 }),
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
};

/** One generated body of about so many bytes: any shape, at times no JSON, at times compressed. */
export function generateBody(isRpc: boolean, bytes: number, random: Random): Body {
  const body = random.chance(0.15) ? spoiltBody(bytes, random) : shapedBody(isRpc, bytes, random);
  if (!random.chance(0.06)) return body;
  const encoding = random.pick(Object.keys(COMPRESSED));
  const compress = COMPRESSED[encoding];
  return { name: `${body.name}, ${encoding}`, bytes: compress?.(body.bytes) ?? body.bytes, encoding };
}

function spoiltBody(bytes: number, random: Random): Body {
  const name = random.pick(Object.keys(SPOILT));
  return { name, bytes: SPOILT[name]?.(bytes) ?? Buffer.alloc(0) };
}

function shapedBody(isRpc: boolean, bytes: number, random: Random): Body {
  const shape = random.pick(Object.keys(SHAPES));
  const value = SHAPES[shape]?.(bytes) ?? '0';
  return isRpc ? rpcBody(shape, value, random) : restBody(shape, value, random);
}

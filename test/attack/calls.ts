import { headOf, pieces, type Shot } from './strike';

/** A request to the native API with this body. */
export function rpcShot(apiKey: string | undefined, body: string | Buffer): Shot {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return {
    method: 'POST',
    target: '/a2a',
    headers: [
      ['content-type', 'application/json'],
      ...(apiKey === undefined ? [] : [['authorization', `Bearer ${apiKey}`] as const]),
    ],
    body: pieces(bytes),
    framing: 'length',
  };
}

/** The body of a call of the native API. */
export function rpcText(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}

const DIFF_BYTES = 1_000_000;

/** An honest handoff whose request is about so many bytes: a short summary and diffs. */
export function handoffOf(recipient: string, bytes: number): string {
  const artifacts: object[] = [];
  for (let rest = bytes - 300; rest > 0; rest -= DIFF_BYTES) {
    const diff = 'the list is paginated now and clients follow it '.repeat(Math.ceil(Math.min(rest, DIFF_BYTES) / 48));
    artifacts.push({
      type: 'file_diff',
      path: `src/${artifacts.length}.ts`,
      diff: diff.slice(0, Math.min(rest, DIFF_BYTES)),
    });
  }
  return rpcText('message/send', {
    recipient,
    message: { role: 'user', parts: [{ type: 'text', text: 'Please have a look.' }] },
    artifacts,
  });
}

/** The two halves of a request to the native API, for whoever sends them by hand. */
export function headAndBody(apiKey: string, text: string): { head: string; body: Buffer } {
  const shot = rpcShot(apiKey, text);
  return { head: headOf(shot), body: Buffer.from(text) };
}

/** No answer of a relay is longer: it bounds its own at 8 MiB (wire.md, "Limits"). */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** Deeper than any answer: what teammates send is nested at most 32 deep. */
const MAX_NESTING = 128;

/** Each value takes memory, be it written in two bytes. */
const MAX_VALUES = 1_000_000;

/** What the relay sends cannot be an answer of a relay; reading it was given up. */
export class UnreadableAnswer extends Error {
  constructor(readonly code: string) {
    super(code);
    this.name = 'UnreadableAnswer';
  }
}

/**
 * The body of an answer as text. Bytes are counted as they come out of any compression, and reading ends at the bound.
 * @throws UnreadableAnswer when it is longer, and what the connection throws
 */
export async function readText(response: Response): Promise<string> {
  if (response.body === null) return '';
  const announced = Number(response.headers.get('content-length'));
  if (announced > MAX_ANSWER_BYTES) return tooLong(response.body);
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the body, and with it the connection.
    if (bytes > MAX_ANSWER_BYTES) throw new UnreadableAnswer('an answer of more than 16 MiB');
    pieces.push(decoder.decode(chunk, { stream: true }));
  }
  pieces.push(decoder.decode());
  return pieces.join('');
}

/** The value of a JSON text, or undefined when it is none, nested deeper than any answer, or of too many values. */
export function parseAnswer(text: string): unknown {
  if (isTooComplex(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function tooLong(body: ReadableStream): Promise<never> {
  await body.cancel();
  throw new UnreadableAnswer('an answer of more than 16 MiB');
}

/** Whether parsing, or walking what was parsed, would take more stack or memory than an answer may. */
function isTooComplex(text: string): boolean {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) at = endOfString(text, at);
    else if (unit === 0x5b || unit === 0x7b) {
      if (++depth > MAX_NESTING || ++values > MAX_VALUES) return true;
    } else if (unit === 0x5d || unit === 0x7d) depth--;
    else if (unit === 0x2c && ++values > MAX_VALUES) return true;
  }
  return false;
}

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === 0x5c) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

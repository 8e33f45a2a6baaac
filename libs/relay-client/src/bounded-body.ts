import { scanAnswer } from './answer-scan';

/** No answer of a relay is longer: it bounds its own at 8 MiB (wire.md, "Limits"). */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

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

/**
 * The value of a JSON text, or undefined when it is none, nested deeper than any answer, or of too many values. A thread of very many
 * values ends after some of its messages and says where it goes on, as the relay does where an answer is too long.
 */
export function parseAnswer(text: string): unknown {
  const scan = scanAnswer(text);
  if (scan === undefined) return undefined;
  const { surplus } = scan;
  try {
    if (surplus === undefined) return JSON.parse(text) as unknown;
    const answer = JSON.parse(text.slice(0, surplus.from) + text.slice(surplus.to)) as unknown;
    endPart(answer, surplus.list.split('/').slice(0, -1));
    return answer;
  } catch {
    return undefined;
  }
}

/** Says in the thread at this path where it goes on. What is no thread stays as it is. */
function endPart(answer: unknown, path: readonly string[]): void {
  const thread = path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], answer);
  const part = thread as { messages: { sequence_no: number }[]; next_after_sequence_no?: number };
  const last = part.messages.at(-1);
  if (last !== undefined) part.next_after_sequence_no = last.sequence_no;
}

async function tooLong(body: ReadableStream): Promise<never> {
  await body.cancel();
  throw new UnreadableAnswer('an answer of more than 16 MiB');
}

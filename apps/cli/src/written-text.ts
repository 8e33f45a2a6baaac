import { codePoints, textFault } from '@agentrelay/protocol';
import { CommandFailed } from './command-failed';

/** Bytes of stdin that are read at most: more than any text may have. */
const MAX_BYTES = 1_048_576;

/** The text of an argument, or of stdin for `-`, checked as the relay will. @throws CommandFailed when it cannot be sent */
export async function writtenText(given: string, what: string, most: number): Promise<string> {
  const text = given === '-' ? (await stdin()).replace(/\r?\n$/, '') : given;
  const fault =
    textFault(text) ??
    (text.trim() === '' ? 'is empty' : undefined) ??
    (codePoints(text) > most ? `has more than ${most} characters` : undefined);
  if (fault === undefined) return text;
  throw new CommandFailed(
    `The ${what} ${fault}; nothing was sent.`,
    'Give it as an argument, or - to read it from stdin.',
  );
}

async function stdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_BYTES)
      throw new CommandFailed('stdin holds more than 1 MiB; nothing was sent.', 'Send less of it.');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new CommandFailed('stdin is not UTF-8; nothing was sent.', 'Convert it first.', undefined, { cause });
  }
}

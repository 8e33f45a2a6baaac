import { createInterface, type Interface } from 'node:readline';
import { CommandFailed } from './command-failed';

/** What a person or a pipe types, line by line. Questions go to stderr: stdout is the command's result. */
let lines: AsyncIterator<string> | undefined;
let reader: Interface | undefined;

async function nextLine(): Promise<string | undefined> {
  reader ??= createInterface({ input: process.stdin });
  lines ??= reader[Symbol.asyncIterator]();
  const line = await lines.next();
  return line.done === true ? undefined : line.value;
}

/** Lets the process end although stdin stays open. */
export function stopAsking(): void {
  reader?.close();
  // A file, as /dev/null is one, has no such method and holds nothing up.
  (process.stdin as Partial<typeof process.stdin>).unref?.();
}

/** A secret, typed without being shown. @throws CommandFailed when there is none */
export async function askSecret(question: string, next: string): Promise<string> {
  const secret = process.stdin.isTTY ? await hidden(question) : ((await nextLine()) ?? '').trim();
  if (secret === '') throw new CommandFailed(`There is no ${question.toLowerCase()}.`, next);
  return secret;
}

async function hidden(question: string): Promise<string> {
  const { default: password } = await import('@inquirer/password');
  return password({ message: `${question}:`, toggleMask: false }, { output: process.stderr });
}

/** Whether the answer begins with a y; no answer is a no. */
export async function confirm(question: string): Promise<boolean> {
  process.stderr.write(`${question} [y/N] `);
  const answer = await nextLine();
  if (!process.stdin.isTTY) process.stderr.write('\n');
  return /^\s*y/i.test(answer ?? '');
}

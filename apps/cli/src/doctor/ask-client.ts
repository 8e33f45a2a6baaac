import { execFile } from 'node:child_process';
import { type Client, type ClientAnswer, programOnPath, type Surroundings } from '../installers';

const DEADLINE_MS = 20_000;
const MOST_BYTES = 1_048_576;

/**
 * What the client's own program says of our entry, in the folder where this command runs.
 * @returns undefined where it is not installed or has no such command; `unanswered` when it did not say
 */
export async function askClient(
  { program, question }: Client,
  { environment, folder }: Surroundings,
): Promise<ClientAnswer | 'unanswered' | undefined> {
  const path = programOnPath(program, environment['PATH']);
  if (question === undefined || path === undefined) return undefined;
  const answer = await ran(path, question.args, environment, folder);
  if (answer === undefined) return 'unanswered';
  try {
    return question.read(answer) ?? 'unanswered';
  } catch {
    return 'unanswered';
  }
}

/** Runs a program to its end; undefined when it cannot be started or does not end in time. */
function ran(
  path: string,
  args: readonly string[],
  env: Surroundings['environment'],
  cwd: string,
): Promise<{ code: number; stdout: string; stderr: string } | undefined> {
  const options = { env: { ...env, NO_COLOR: '1' }, cwd, timeout: DEADLINE_MS, maxBuffer: MOST_BYTES };
  return new Promise((resolve) => {
    const child = execFile(path, [...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      resolve(typeof code === 'number' ? { code, stdout, stderr } : undefined);
    });
    child.stdin?.end();
  });
}

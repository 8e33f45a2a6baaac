import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { waitUntil } from './wait';

const run = promisify(execFile);
const onLinux = process.platform === 'linux';

/**
 * Names a living process as "pid:start time", so that a recycled pid is not mistaken for it.
 * undefined: no such process, or only a zombie of it.
 */
export async function processIdentity(pid: number): Promise<string | undefined> {
  if (onLinux) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    if (stat === undefined) return undefined;
    // The command name in parentheses may hold anything; the fields after it are plain.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${pid}:${fields[19] ?? ''}`;
  }
  const line = await ps(pid, 'stat=,lstart=');
  if (line === undefined || line.startsWith('Z')) return undefined;
  return `${pid}:${line.split(/\s+/).slice(1).join('_')}`;
}

/** Whether the very process that `identity` names still lives. */
export async function isAlive(identity: string): Promise<boolean> {
  return (await processIdentity(Number.parseInt(identity, 10))) === identity;
}

/** The identity of `pid` if it is a postmaster that serves `dataFolder` (a real path). */
export async function postmasterIdentity(pid: number, dataFolder: string): Promise<string | undefined> {
  const identity = await processIdentity(pid);
  if (identity === undefined) return undefined;
  if (!onLinux) {
    const command = (await ps(pid, 'command=')) ?? '';
    return /(^|\/)postgres\b/.test(command) && command.includes(dataFolder) ? identity : undefined;
  }
  const argv = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
  if (basename(argv[0] ?? '') !== 'postgres') return undefined;
  // Someone may have started it by hand with another spelling of the path; a postmaster works in its data folder.
  const workingFolder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return argv.includes(dataFolder) || workingFolder === dataFolder ? identity : undefined;
}

/** Sends `signal` to the process `identity` names and waits until it is gone; false when it still lives after `limitMs`. */
export async function endProcess(identity: string, signal: NodeJS.Signals, limitMs: number): Promise<boolean> {
  if (!(await isAlive(identity))) return true;
  try {
    process.kill(Number.parseInt(identity, 10), signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
  return waitUntil(async () => !(await isAlive(identity)), limitMs);
}

async function ps(pid: number, columns: string): Promise<string | undefined> {
  try {
    const { stdout } = await run('ps', ['-ww', '-o', columns, '-p', String(pid)], {
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    });
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}

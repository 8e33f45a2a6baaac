import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { shellWord } from '@agentrelay/untrusted-text';
import { linkTarget } from './link-target';
import { notRead, notWritten } from './file-errors';
import { WorkstationFileError } from './workstation-file-error';

const OWNER_MAY_WRITE = 0o200;
/** Bytes that no file which people write by hand has. */
const MAX_BYTES = 1_048_576;

/**
 * Writes a file that only its owner can read, making its folder (0700) when missing. Whoever reads it, also after a
 * crash, finds the old content or the new one, whole. A symbolic link stays one: what it points to is replaced.
 * @throws WorkstationFileError when the file or its folder cannot be written
 */
export function writeFileAtomically(path: string, content: string): void {
  besideTarget(path, content, (temporary, target) => {
    renameSync(temporary, target);
    syncFolder(dirname(target));
  });
}

/**
 * Makes sure that the file can be written, by writing beside it all but the last step; its content stays.
 * @throws WorkstationFileError when the file or its folder cannot be written
 */
export function refuseUnwritable(path: string): void {
  besideTarget(path, '', (temporary) => rmSync(temporary));
}

/** Writes `content` into a new file beside what is to be replaced, and finishes with it. */
function besideTarget(path: string, content: string, finish: (temporary: string, target: string) => void): void {
  const target = linkTarget(path);
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const stats = statSync(target, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true) throw new WorkstationFileError(path, 'cannot be written: it is a folder.');
    if (stats !== undefined && (stats.mode & OWNER_MAY_WRITE) === 0) {
      throw new WorkstationFileError(path, `is read-only; run: chmod u+w ${shellWord(target)}`);
    }
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    writeThrough(temporary, content);
    finish(temporary, target);
  } catch (cause) {
    if (cause instanceof WorkstationFileError) throw cause;
    removeIfThere(temporary);
    throw notWritten(path, cause);
  }
}

/**
 * What the system says about a file, or undefined when there is none.
 * @throws WorkstationFileError when the path leads nowhere
 */
export function statFile(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    throw notRead(path, cause);
  }
}

/**
 * Reads a file that is at most 1 MiB of UTF-8, or undefined when there is none. A byte order mark is left out.
 * @throws WorkstationFileError when it cannot be read, or is anything else
 */
export function readTextFile(path: string): string | undefined {
  const size = statFile(path)?.size ?? 0;
  if (size > MAX_BYTES)
    throw new WorkstationFileError(path, 'is larger than 1 MiB, which no such file of ours is. Move it away.');
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw notRead(path, cause);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new WorkstationFileError(path, 'is not UTF-8; save it as UTF-8.', undefined, undefined, { cause });
  }
}

/**
 * Refuses a file that others may use in the ways of `mode`. Windows has no such bits: there it is a warning.
 * @throws WorkstationFileError saying how to close it
 */
export function refuseOthers(path: string, stats: Stats, mode: number, danger: string): void {
  if (process.platform === 'win32') {
    process.emitWarning(`${path} ${danger}; Windows does not tell who may: keep it in a folder of yours alone.`);
    return;
  }
  if ((stats.mode & mode) === 0) return;
  throw new WorkstationFileError(path, `${danger} by others; run: chmod 600 ${shellWord(path)}`);
}

function writeThrough(path: string, content: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  chmodSync(path, 0o600);
}

/** Below what is no folder there is nothing to remove, and saying so would hide why the file cannot be written. */
function removeIfThere(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Told by the caller.
  }
}

/** Makes the renaming itself durable. Windows cannot open a folder and needs no such thing. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

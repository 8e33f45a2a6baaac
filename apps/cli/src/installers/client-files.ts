import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { shellWord } from '@agentrelay/untrusted-text';
import { linkTarget } from '@agentrelay/workstation';
import { UnreadableClientFile } from './client-file-error';

const NEW_FILE_MODE = 0o600;
const OWNER_MAY_WRITE = 0o200;

/** Where the content before install is kept, without what install put in. */
export function backupOf(path: string): string {
  return `${path}.agentrelay-backup`;
}

/** The text of a client's file, or undefined when there is none. @throws UnreadableClientFile */
export function readClientFile(path: string): string | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new UnreadableClientFile(path, `cannot be read: ${message}`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UnreadableClientFile(path, 'is not UTF-8 text. Nothing was changed.');
  }
}

/** @throws UnreadableClientFile when the user made the file read-only, or its path leads nowhere */
export function refuseReadOnly(path: string): void {
  const mode = modeOf(path);
  if (mode === undefined || (mode & OWNER_MAY_WRITE) !== 0) return;
  throw new UnreadableClientFile(path, `is read-only; run: chmod u+w ${shellWord(path)}. Nothing was changed.`);
}

function modeOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mode;
  } catch (error) {
    throw new UnreadableClientFile(path, `cannot be read: ${(error as Error).message}`);
  }
}

/** The folders that have to be made for a file, outermost first. */
export function missingFolders(path: string): string[] {
  const missing: string[] = [];
  for (let at = dirname(linkTarget(path)); !existsSync(at); at = dirname(at)) missing.unshift(at);
  return missing;
}

/** What to write, and what must be there for it to be right. */
export interface FileWriting {
  path: string;
  before: string | undefined;
  after: string | undefined;
  /** What is kept beside the file; undefined for nothing. */
  backup: string | undefined;
}

/**
 * Replaces a client's file, or makes it, or removes it. Whoever reads it, also after a crash, finds the old content or the
 * new one, whole. Its mode stays; a symbolic link stays one, and what it leads to is written.
 * @throws UnreadableClientFile when it cannot be written, or holds something else by now
 */
export function writeClientFile({ path, before, after, backup }: FileWriting): void {
  refuseReadOnly(path);
  if (readClientFile(path) !== before) {
    throw new UnreadableClientFile(path, 'was changed by another program just now; run the same command again.');
  }
  const mode = modeOf(path) ?? NEW_FILE_MODE;
  try {
    if (backup === undefined) rmSync(backupOf(path), { force: true });
    else replace(backupOf(path), backup, mode);
    if (after === undefined) rmSync(linkTarget(path), { force: true });
    else replace(linkTarget(path), after, mode);
  } catch (error) {
    throw new UnreadableClientFile(path, `cannot be written: ${(error as Error).message}`);
  }
}

function replace(path: string, content: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = openSync(temporary, 'wx', NEW_FILE_MODE);
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    chmodSync(temporary, mode & 0o777);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

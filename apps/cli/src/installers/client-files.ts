import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { UnreadableClientFile } from './client-file-error';

const NEW_FILE_MODE = 0o600;
const OWNER_MAY_WRITE = 0o200;

/** Where the content before the last change is kept. */
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

/** @throws UnreadableClientFile when the user made the file read-only */
export function refuseReadOnly(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & OWNER_MAY_WRITE) !== 0) return;
  throw new UnreadableClientFile(path, `is read-only; run: chmod u+w ${path}. Nothing was changed.`);
}

/**
 * Replaces a client's file, or makes it, or removes it. Whoever reads it, also after a crash, finds the old content or the
 * new one, whole. The old content is kept beside it; mode and symbolic links stay.
 * @throws UnreadableClientFile when it cannot be written
 */
export function writeClientFile(path: string, content: string | undefined): void {
  refuseReadOnly(path);
  try {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode;
    if (mode !== undefined) copyFileSync(path, backupOf(path));
    if (content === undefined) rmSync(path, { force: true });
    else replace(mode === undefined ? path : realpathSync(path), content, mode ?? NEW_FILE_MODE);
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

import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { shellWord } from '@agentrelay/untrusted-text';
import { notWritten } from '@agentrelay/workstation';
import { CommandFailed } from '../command-failed';
import { removeEmpty } from './carry-out';
import { missingFolders } from './client-files';

const FILE_NAME = 'install.lock';
const WAIT_MS = 50;
const MOST_WAITS = 400;
/** A lock without a readable process id is one that is just being written, unless it is older than this. */
const UNREADABLE_MS = 5_000;

/** Held while clients' files and the record of them change, so that installs at the same time follow each other. */
export class InstallLock {
  private constructor(
    private readonly path: string,
    /** The folders that were made for it, outermost first. */
    readonly foldersMade: readonly string[],
  ) {}

  /**
   * Waits for its turn, for at most 20 s.
   * @throws CommandFailed when another install does not end, WorkstationFileError when it cannot be written
   */
  static acquire(home: string): InstallLock {
    const path = join(home, FILE_NAME);
    const foldersMade = missingFolders(path);
    for (let wait = 0; wait < MOST_WAITS; wait++) {
      if (create(home, path)) return new InstallLock(path, foldersMade);
      if (isLeftBehind(path)) takeAway(path);
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
    }
    throw new CommandFailed('Another install is running.', `When none is: rm ${shellWord(path)}`);
  }

  /** Ends it; folders in which nothing is left go too, those made for it and `others`. */
  release(others: readonly string[] = []): void {
    rmSync(this.path, { force: true });
    removeEmpty([...this.foldersMade, ...others]);
  }
}

function create(home: string, path: string): boolean {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw notWritten(path, cause);
  }
  try {
    const file = openSync(path, 'wx', 0o600);
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ENOENT: the one before has just removed the folder that it had made.
    if (code === 'EEXIST' || code === 'ENOENT') return false;
    throw notWritten(path, error);
  }
}

/** Whether the process that holds it has ended without removing it. */
function isLeftBehind(path: string): boolean {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    if (!Number.isInteger(pid) || pid <= 0) return Date.now() - statSync(path).mtimeMs > UNREADABLE_MS;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Renamed first, so that of several who find it only one removes it, and nobody the lock of a third. */
function takeAway(path: string): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (isLeftBehind(aside)) rmSync(aside, { force: true });
    else renameSync(aside, path);
  } catch {
    // Another one was quicker.
  }
}

import { createHash, randomUUID } from 'node:crypto';
import {
  constants,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { notWritten } from '@agentrelay/workstation';

const KEPT_MS = 10 * 60_000;
/** What file systems say that know no hard links. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * Idempotency keys of calls whose outcome is unknown, kept for ten minutes in a file each: the same command run again
 * sends the same key, so that nothing is stored twice. Equal commands that run at once share a key.
 */
export class PendingKey {
  private constructor(
    private readonly path: string,
    readonly key: string,
    /** Whether the same call was made before, and its outcome is unknown. */
    readonly repeats: boolean,
  ) {}

  /**
   * The key for a call, kept from now on until it is settled. Calls are told apart by relay, key and all they send.
   * @throws WorkstationFileError when no key can be kept
   */
  static for(home: string, call: readonly unknown[]): PendingKey {
    const folder = join(home, 'pending');
    const path = join(folder, createHash('sha256').update(JSON.stringify(call)).digest('hex'));
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      removeOld(folder);
      const own = randomUUID();
      const key = keptOrNew(path, own);
      return new PendingKey(path, key, key !== own);
    } catch (cause) {
      throw notWritten(path, cause);
    }
  }

  /** The outcome is known: the same call made again is new work. */
  settle(): void {
    rmSync(this.path, { force: true });
  }

  /** The outcome is unknown: ten minutes from now on the same call goes with this key, whoever has settled it meanwhile. */
  keep(): void {
    try {
      utimesSync(this.path, new Date(), new Date());
    } catch {
      keptOrNew(this.path, this.key);
    }
  }
}

/** The key in the file, which then exists and is whole: `key`, unless another process was first. */
function keptOrNew(path: string, key: string): string {
  const temporary = `${path}.${randomUUID()}`;
  try {
    writeFileSync(temporary, key, { flag: 'wx', mode: 0o600 });
    return linked(temporary, path) ? key : (keptIn(path) ?? keptOrNew(path, key));
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Gives a whole file its name, which nobody sees half written; false when another one has it. */
function linked(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (!NO_LINKS.includes(code)) throw error;
    copyFileSync(temporary, path, constants.COPYFILE_EXCL);
    return true;
  }
}

/** The key of another process; undefined when it has just been settled, or an earlier version left an empty file. */
function keptIn(path: string): string | undefined {
  try {
    const kept = readFileSync(path, 'utf8').trim();
    if (kept !== '') return kept;
    rmSync(path, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return undefined;
}

function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > KEPT_MS) rmSync(join(folder, name), { force: true });
  }
}

import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEPT_MS = 10 * 60_000;

/**
 * Idempotency keys of calls whose outcome is unknown, kept for ten minutes in a file each: the same command run again
 * sends the same key, so that nothing is stored twice.
 */
export class PendingKey {
  private constructor(
    private readonly path: string,
    readonly key: string,
    /** Whether the same call was made before, and its outcome is unknown. */
    readonly repeats: boolean,
  ) {}

  /** The key for a call, kept from now on until it is settled. Calls are told apart by relay, key and all they send. */
  static for(home: string, call: readonly unknown[]): PendingKey {
    const folder = join(home, 'pending');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    removeOld(folder);
    const path = join(folder, createHash('sha256').update(JSON.stringify(call)).digest('hex'));
    const key = randomUUID();
    try {
      writeFileSync(path, key, { flag: 'wx', mode: 0o600 });
      return new PendingKey(path, key, false);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const kept = readFileSync(path, 'utf8').trim();
      return new PendingKey(path, kept || key, true);
    }
  }

  /** The outcome is known: the same call made again is new work. */
  settle(): void {
    rmSync(this.path, { force: true });
  }
}

function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > KEPT_MS) rmSync(join(folder, name), { force: true });
  }
}

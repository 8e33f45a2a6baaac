import { randomUUID } from 'node:crypto';
import { readdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgresError, absent, systemCode } from './errors';
import { isAlive, processIdentity } from './processes';
import { pause } from './wait';

const NAME = /^lock\.(\d+)$/;
const RELEASED = 'released';
/** Longer than the slowest start (first initdb, then crash recovery), so a waiter does not give up on a working holder. */
const WAIT_MS = 150_000;

/**
 * Runs `action` while no other process (or other call in this one) does so for the same folder. The lock of a dead
 * process heals. Rejects with EmbeddedPostgresError when a living holder does not finish within 150 s.
 *
 * The lock is the symbolic link `lock.<n>` with the highest n; its target names the holder, so it appears atomically
 * together with its content. A released or stale lock is not removed but outnumbered, which, unlike
 * "remove, then create", never lets two processes break the same stale lock.
 */
export async function withLock<T>(folder: string, action: () => Promise<T>): Promise<T> {
  const release = await acquire(folder);
  try {
    return await action();
  } finally {
    await release();
  }
}

async function acquire(folder: string): Promise<() => Promise<void>> {
  const holder = (await processIdentity(process.pid)) ?? `${process.pid}:`;
  const end = Date.now() + WAIT_MS;
  for (;;) {
    const [last] = await lockNumbers(folder);
    const current = last === undefined ? RELEASED : await holderOf(folder, last);
    if (current === undefined) continue;
    if (current === RELEASED || !(await isAlive(current))) {
      const mine = (last ?? 0) + 1;
      if (await take(folder, mine, holder)) return () => giveBack(folder, mine);
      continue;
    }
    if (Date.now() > end) {
      throw new EmbeddedPostgresError(
        `Process ${Number.parseInt(current, 10)} has been starting the database in ${folder} for over ` +
          `${WAIT_MS / 1000} s. Stop that process and start again.`,
      );
    }
    await pause();
  }
}

async function take(folder: string, number: number, holder: string): Promise<boolean> {
  try {
    await symlink(holder, join(folder, `lock.${number}`));
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
  const [highest, ...older] = await lockNumbers(folder);
  // Others may have taken and cleaned up this number while we were deciding: the highest one holds.
  const outdated = highest === number ? older : [number];
  await Promise.all(outdated.map((each) => rm(join(folder, `lock.${each}`), { force: true })));
  return highest === number;
}

async function giveBack(folder: string, number: number): Promise<void> {
  const released = join(folder, `released-${randomUUID()}`);
  try {
    await symlink(RELEASED, released);
    await rename(released, join(folder, `lock.${number}`));
  } catch (error) {
    // The whole folder was removed while we worked in it: nothing is left to release.
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

async function lockNumbers(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => b - a);
}

async function holderOf(folder: string, number: number): Promise<string | undefined> {
  return readlink(join(folder, `lock.${number}`)).catch(absent);
}

import { constants } from 'node:fs';
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Account, blockingFolder } from './account';
import { EmbeddedPostgresError, systemCode } from './errors';

/**
 * Copies the package's native folder to a folder of this version and caller under the temporary folder, readable for
 * all, and returns the copy; a complete earlier copy is used again. `check` has to accept the copy (it rejects
 * otherwise). Rejects with EmbeddedPostgresError when no temporary folder is safe, or another user planted the folder.
 */
export async function copyPackage(
  packageFolder: string,
  platform: string,
  account: Account | undefined,
  check: (copy: string) => Promise<void>,
): Promise<string> {
  const manifest = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as { version: string };
  const name = `agentrelay-postgres-${manifest.version}-${platform}-${process.getuid?.() ?? 0}`;
  let failure: unknown = new EmbeddedPostgresError(
    `The PostgreSQL programs in ${packageFolder} cannot be used from there, and no temporary folder is fit for a copy. ` +
      'Set TMPDIR to a folder that belongs to you or root and that every user can enter.',
  );
  for (const base of await safeBases(account)) {
    try {
      const copy = join(base, name);
      if (!(await isCompleteCopy(packageFolder, copy))) await replaceCopy(packageFolder, copy);
      await check(copy);
      return copy;
    } catch (error) {
      // A full disk or one mounted noexec: the next folder may do.
      failure = error;
    }
  }
  throw failure;
}

/** Temporary folders the account can enter and in which no other user can replace what we put there. */
async function safeBases(account: Account | undefined): Promise<string[]> {
  const bases: string[] = [];
  for (const candidate of [tmpdir(), '/tmp', '/var/tmp']) {
    const base = await realpath(candidate).catch(() => undefined);
    if (base === undefined || bases.includes(base)) continue;
    const { uid, mode } = await stat(base);
    const trusted = uid === 0 || uid === process.getuid?.();
    const protectedEntries = (mode & 0o022) === 0 || (mode & 0o1000) !== 0;
    const reachable = account === undefined || (await blockingFolder(base, account)) === undefined;
    if (trusted && protectedEntries && reachable) bases.push(base);
  }
  return bases;
}

async function isCompleteCopy(packageFolder: string, copy: string): Promise<boolean> {
  const found = await lstat(copy).catch(() => undefined);
  if (found === undefined) return false;
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0) {
    throw new EmbeddedPostgresError(
      `${copy} should hold a copy of the PostgreSQL programs, but it is not a folder that only you can write to. ` +
        'Remove it and start again.',
    );
  }
  // Cleaners of the temporary folder delete single old files, so the folder's existence proves nothing.
  return holdsSameFiles(join(packageFolder, 'native'), join(copy, 'native'));
}

async function holdsSameFiles(source: string, copy: string): Promise<boolean> {
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(copy, entry.name)];
    if (entry.isDirectory()) {
      if (!(await holdsSameFiles(from, to))) return false;
    } else if (entry.isFile()) {
      const [wanted, found] = await Promise.all([stat(from), stat(to).catch(() => undefined)]);
      if (wanted.size !== found?.size) return false;
    }
  }
  return true;
}

/** Makes the copy aside and renames it, so that a copy under its final name is whole. */
async function replaceCopy(packageFolder: string, copy: string): Promise<void> {
  const aside = await mkdtemp(`${copy}.`);
  try {
    const fresh = join(aside, basename(copy));
    await copyTree(packageFolder, fresh, ['native', 'LICENSE.md']);
    await rename(copy, join(aside, 'outdated')).catch(ignore('ENOENT'));
    // ENOTEMPTY, EEXIST: another starter of ours has just finished the same copy.
    await rename(fresh, copy).catch(ignore('ENOTEMPTY', 'EEXIST'));
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

async function copyTree(source: string, target: string, only?: readonly string[]): Promise<void> {
  await mkdir(target);
  await chmod(target, 0o755);
  for (const entry of await readdir(source, { withFileTypes: true })) {
    if (only !== undefined && !only.includes(entry.name)) continue;
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    // Links are left out: they are made anew from the package's list.
    if (entry.isDirectory()) await copyTree(from, to);
    else if (entry.isFile()) {
      await copyFile(from, to, constants.COPYFILE_FICLONE);
      const executable = basename(source) === 'bin' || ((await stat(from)).mode & 0o111) !== 0;
      await chmod(to, executable ? 0o755 : 0o644);
    }
  }
}

function ignore(...codes: string[]): (error: unknown) => void {
  return (error) => {
    if (!codes.includes(systemCode(error) ?? '')) throw error;
  };
}

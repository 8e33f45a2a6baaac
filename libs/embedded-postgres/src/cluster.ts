import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { giveTo, spawnAs } from './account';
import type { Binaries } from './binaries';
import { EmbeddedPostgresError, absent } from './errors';
import { type Home, type Storage, writeHomeFile } from './storage';

const run = promisify(execFile);

/** Superuser, and also the name of its database. */
export const NAME = 'agentrelay';
const MAJOR_VERSION = '17';
const PASSWORD_FILE = 'password';
const DRAFT = 'initdb-';

/**
 * The superuser's password of an existing cluster. Rejects with EmbeddedPostgresError when it is lost, or the files are
 * of another major version. Call it under the lock.
 */
export async function readPassword(home: Home, storage: Storage): Promise<string> {
  const version = (await readFile(join(storage.data, 'PG_VERSION'), 'utf8').catch(() => 'unknown')).trim();
  if (version !== MAJOR_VERSION) {
    throw new EmbeddedPostgresError(
      `${storage.data} is not a PostgreSQL ${MAJOR_VERSION} data folder (its version: ${version}). Restore it, or remove ` +
        `${home.path} to begin with an empty database.`,
    );
  }
  const password = await storedPassword(home);
  if (password !== undefined) return password;
  throw new EmbeddedPostgresError(
    `The database password in ${join(home.path, PASSWORD_FILE)} is gone, but the database files are still there. ` +
      `Restore that file, or remove ${home.path} to begin with an empty database.`,
  );
}

/**
 * Creates the cluster and returns its superuser's password. The data folder appears under its name only when it is
 * complete: an interrupted run leaves only a draft, see removeDrafts. Call it under the lock.
 */
export async function createCluster(
  home: Home,
  storage: Storage,
  binaries: Binaries,
  durable: boolean,
): Promise<string> {
  const password = (await storedPassword(home)) ?? randomBytes(24).toString('hex');
  const draft = await mkdtemp(join(storage.parent, DRAFT));
  try {
    const passwordFile = join(draft, PASSWORD_FILE);
    await writeFile(passwordFile, password, { mode: 0o600 });
    await giveTo(passwordFile, storage.account);
    await giveTo(draft, storage.account);
    await runInitdb(binaries.initdb, join(draft, 'data'), passwordFile, storage, durable);
    // The password first: data without its password would be of no use.
    await writeHomeFile(home, PASSWORD_FILE, password);
    await rename(join(draft, 'data'), storage.data);
    if (durable) await syncFolder(storage.parent);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return password;
}

async function runInitdb(
  initdb: string,
  folder: string,
  passwordFile: string,
  storage: Storage,
  durable: boolean,
): Promise<void> {
  const options = [
    `--pgdata=${folder}`,
    `--username=${NAME}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ];
  try {
    await run(initdb, options, spawnAs(storage.account));
  } catch (error) {
    const output = (error as { stderr?: string }).stderr?.trim() || String(error);
    throw new EmbeddedPostgresError(
      `PostgreSQL could not create its data folder in ${storage.parent}:\n${output}\n` +
        'Correct what it names (often a full disk) and start again.',
      { cause: error },
    );
  }
}

/** Removes what interrupted runs of createCluster left. Call it under the lock. */
export async function removeDrafts({ parent }: Storage): Promise<void> {
  const drafts = (await readdir(parent)).filter((name) => name.startsWith(DRAFT));
  // The initdb of a killed starter may still be writing there; what remains goes at the next start.
  await Promise.all(
    drafts.map((name) => rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined)),
  );
}

async function storedPassword(home: Home): Promise<string | undefined> {
  const stored = await readFile(join(home.path, PASSWORD_FILE), 'utf8').catch(absent);
  return stored?.trim() || undefined;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

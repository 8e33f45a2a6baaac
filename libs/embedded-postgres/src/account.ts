import { execFile } from 'node:child_process';
import type { Stats } from 'node:fs';
import { lchown, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './errors';

const run = promisify(execFile);

/** A user and group of the system, by number. */
export interface Account {
  uid: number;
  gid: number;
}

/** PostgreSQL refuses to run as root, so root hands its processes to another account. */
export function callerIsRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The account root runs a new cluster as: `postgres` where it exists, otherwise `nobody`. */
export async function serviceAccount(): Promise<Account> {
  for (const name of ['postgres', 'nobody']) {
    const account = await accountNamed(name);
    if (account !== undefined) return account;
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL does not run as root, and this system has neither an account "postgres" nor "nobody" to run it as. ' +
      'Start as an ordinary user, or create the account "postgres".',
  );
}

/** How a message calls the user `uid`: "postgres (uid 101)", or only the number when it has no name. */
export async function userName(uid: number): Promise<string> {
  const name = await id('-un', String(uid));
  return name === undefined || name === String(uid) ? `uid ${uid}` : `${name} (uid ${uid})`;
}

/** Spawn options for running as `account`; undefined runs as the caller. Starts in `/`, which every account can enter. */
export function spawnAs(account: Account | undefined): {
  uid?: number;
  gid?: number;
  cwd: string;
  env: NodeJS.ProcessEnv;
} {
  // PG* and LC_* of the caller would change what the server does; LC_ALL also keeps its messages as we match them.
  const base = { cwd: '/', env: { PATH: process.env['PATH'], LC_ALL: 'C' } };
  // spawn() takes signed numbers: nobody is 4294967294 on macOS.
  return account === undefined ? base : { ...base, uid: account.uid | 0, gid: account.gid | 0 };
}

/** Gives `path` to `account` where the caller is root and it is not theirs yet; a link itself, not its target. */
export async function giveTo(path: string, account: Account | undefined): Promise<void> {
  if (account !== undefined && callerIsRoot()) await lchown(path, account.uid, account.gid);
}

/** Gives a folder and all below it to `account`. The folder itself comes last, so an interrupted run is repeated. */
export async function giveTreeTo(folder: string, account: Account): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await giveTreeTo(path, account);
    else await lchown(path, account.uid, account.gid);
  }
  await lchown(folder, account.uid, account.gid);
}

/** The first folder on the way to (and including) the real path `folder` that `account` cannot enter, if any. */
export async function blockingFolder(folder: string, account: Account): Promise<string | undefined> {
  const parent = dirname(folder);
  const above = parent === folder ? undefined : await blockingFolder(parent, account);
  return above ?? (mayEnter(await stat(folder), account) ? undefined : folder);
}

function mayEnter(folder: Stats, account: Account): boolean {
  if (folder.uid === account.uid) return (folder.mode & 0o100) !== 0;
  if (folder.gid === account.gid) return (folder.mode & 0o010) !== 0;
  return (folder.mode & 0o001) !== 0;
}

async function accountNamed(name: string): Promise<Account | undefined> {
  const [uid, gid] = await Promise.all([id('-u', name), id('-g', name)]);
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

async function id(option: string, user: string): Promise<string | undefined> {
  try {
    return (await run('id', [option, user])).stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}

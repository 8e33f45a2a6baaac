import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, open, readlink, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Account, blockingFolder, callerIsRoot, giveTo, giveTreeTo, serviceAccount, userName } from './account';
import { EmbeddedPostgresError, absent, systemCode } from './errors';

/** The folder the caller named: it holds the password, the log, the locks and the data, or a link to the data. */
export interface Home {
  path: string;
  owner: Account;
}

/** Where the data of a cluster is, or will be, and who runs it. */
export interface Storage {
  /** Folder in which the data folder is made. */
  parent: string;
  /** Real path of the data folder. */
  data: string;
  /** Whether the cluster exists already. */
  initialised: boolean;
  /** undefined: the caller runs it. */
  account: Account | undefined;
}

/**
 * Creates the folder where it is missing (mode 0700) and returns its real path and owner. Rejects with
 * EmbeddedPostgresError when it belongs to somebody else and the caller is not root.
 */
export async function openHome(directory: string): Promise<Home> {
  const wanted = resolve(directory);
  await mkdir(dirname(wanted), { recursive: true });
  await mkdir(wanted, { mode: 0o700 }).catch((error: unknown) => {
    if (systemCode(error) !== 'EEXIST') throw error;
  });
  const path = await realpath(wanted);
  const { uid, gid } = await stat(path);
  await refuseForeign(path, uid);
  return { path, owner: { uid, gid } };
}

/**
 * Decides who runs the cluster and where its data is. An ordinary user runs it as himself. Root runs it as the owner of
 * the data or of the folder, or else as the service account, and gives the data to that account. Where the account
 * cannot reach the folder, new data goes to /var/lib (/var/tmp when it is not durable), and `data` in the folder is a
 * link to it. Call it under the lock. Rejects with EmbeddedPostgresError when the data is lost, foreign or out of reach.
 */
export async function openStorage(home: Home, durable: boolean): Promise<Storage> {
  const entry = join(home.path, 'data');
  const isLink = (await lstat(entry).catch(absent))?.isSymbolicLink() ?? false;
  const data = isLink ? resolve(home.path, await readlink(entry)) : entry;
  const found = await stat(data).catch(absent);
  if (found !== undefined) return openExisting(home, await realpath(data), found);

  const account = callerIsRoot() ? await accountFor(home.owner) : undefined;
  if (isLink) {
    // The link is made before the cluster, so this may be a start that was interrupted.
    if ((await stat(dirname(data)).catch(absent)) !== undefined) return newStorage(dirname(data), account);
    throw new EmbeddedPostgresError(
      `${entry} is a link to the database files in ${data}, but these are gone. Restore them, or remove ${home.path} ` +
        'to begin with an empty database.',
    );
  }
  const blocking = account === undefined ? undefined : await openWay(home, home.path, account);
  return newStorage(blocking === undefined ? home.path : await makeRemoteParent(home, entry, durable), account);
}

/** Writes a file of the home folder: mode 0600, for the folder's owner, whole or not at all, and safe from power loss. */
export async function writeHomeFile(home: Home, name: string, content: string): Promise<void> {
  const path = join(home.path, name);
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  // Exclusively: root must not follow a link that the folder's owner planted.
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await giveTo(draft, home.owner);
  await rename(draft, path);
}

function newStorage(parent: string, account: Account | undefined): Storage {
  return { parent, data: join(parent, 'data'), initialised: false, account };
}

async function openExisting(home: Home, data: string, { uid, gid }: Account): Promise<Storage> {
  await refuseForeign(data, uid);
  const storage = { parent: dirname(data), data, initialised: true };
  if (!callerIsRoot()) return { ...storage, account: undefined };
  const account = await accountFor(uid === 0 ? home.owner : { uid, gid });
  if (uid === 0) await giveTreeTo(data, account);
  const blocking = await openWay(home, data, account);
  if (blocking !== undefined) {
    throw new EmbeddedPostgresError(
      `PostgreSQL has to run as ${await userName(account.uid)}, who cannot enter ${blocking} on the way to the database ` +
        `files in ${data}. Let that user pass that folder (chmod o+x), or remove ${home.path} to begin with an empty database.`,
    );
  }
  return { ...storage, account };
}

async function accountFor(owner: Account): Promise<Account> {
  return owner.uid === 0 ? serviceAccount() : owner;
}

/** The folder that keeps `account` from reaching `folder`, if any. Our own home folder is opened for passing through. */
async function openWay(home: Home, folder: string, account: Account): Promise<string | undefined> {
  const blocking = await blockingFolder(folder, account);
  if (blocking !== home.path || home.owner.uid !== 0) return blocking;
  await chmod(home.path, (await stat(home.path)).mode | 0o011);
  return blockingFolder(folder, account);
}

/** A fresh folder of root's outside of `home`. Its name is partly random, so nobody can have planted anything there. */
async function makeRemoteParent(home: Home, link: string, durable: boolean): Promise<string> {
  const hash = createHash('sha256').update(home.path).digest('hex').slice(0, 12);
  // Systems clean /var/tmp of old files, which would destroy a database that is meant to last.
  for (const base of durable ? ['/var/lib', '/var/tmp'] : ['/var/tmp']) {
    const parent = await mkdtemp(join(base, `agentrelay-${hash}-`)).catch(() => undefined);
    if (parent === undefined) continue;
    await chmod(parent, 0o711);
    await symlink(join(parent, 'data'), link);
    await giveTo(link, home.owner);
    return parent;
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL does not run as root, and the account it runs as cannot reach ${home.path}; /var/lib and /var/tmp are ` +
      'not writable either. Choose a folder that every user can reach, or start as an ordinary user.',
  );
}

async function refuseForeign(folder: string, uid: number): Promise<void> {
  if (callerIsRoot() || uid === process.getuid?.()) return;
  const owner = await userName(uid);
  throw new EmbeddedPostgresError(
    `${folder} belongs to ${owner}: the embedded PostgreSQL was started as another user before. Start it as that user ` +
      `(or as root), or remove the folder, as root, to begin with an empty database.`,
  );
}

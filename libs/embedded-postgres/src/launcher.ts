import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { usableBinaries } from './binaries';
import { createCluster, readPassword, removeDrafts } from './cluster';
import { ask, urlOf } from './connection';
import { EmbeddedPostgresError, readable } from './errors';
import { withLock } from './lock';
import { keepPort } from './port';
import { type Postmaster, disarmStalePidFile, endPostmaster, findPostmaster, killPostmaster } from './postmaster';
import { isAlive, processIdentity } from './processes';
import { launchServer } from './server';
import { type Home, openHome, openStorage, writeHomeFile } from './storage';
import { pause } from './wait';

export interface EmbeddedPostgresOptions {
  /**
   * Folder that holds everything of this cluster: data, password, log, locks. Created with mode 0700; root opens it to
   * 0711, so that the account PostgreSQL runs as can pass. Where that account cannot reach the folder at all, `data` in
   * it is a link to a folder under /var/lib (under /var/tmp when not durable), to be removed along with it.
   */
  directory: string;
  /** true: fsync, full_page_writes and synchronous_commit are on. false: all three are off; only for tests. */
  durable: boolean;
}

export interface EmbeddedPostgres {
  /** postgres://…@127.0.0.1:PORT/agentrelay, as superuser. */
  url: string;
  port: number;
  /**
   * Shuts the server down and resolves when it is gone; 10 s after a fast shutdown an immediate one follows. Does
   * nothing when another, living process started the server. May be called more than once.
   */
  stop(): Promise<void>;
}

const OWNER_FILE = 'owner';
/** How long a living postmaster may leave us without an answer before it is replaced, and how long while it starts. */
const SILENT_LIMIT_MS = 5_000;
const BUSY_LIMIT_MS = 60_000;
const LAUNCH_LIMIT_MS = 60_000;
const MAX_PORT_ATTEMPTS = 10;

/**
 * Starts the PostgreSQL cluster in `directory`, which is created at the first start, and resolves when it answers. A
 * server that already runs there is used as it is: one whose starter is dead becomes ours, one of a living process is
 * shared and left to that process. The server outlives this process unless stop() is called. Rejects with
 * EmbeddedPostgresError, whose message says what to do.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  try {
    const home = await openHome(options.directory);
    return await withLock(home.path, () => start(home, options.durable));
  } catch (error) {
    throw readable(error);
  }
}

async function start(home: Home, durable: boolean): Promise<EmbeddedPostgres> {
  const storage = await openStorage(home, durable);
  let password = storage.initialised ? await readPassword(home, storage) : undefined;
  let portAttempts = 0;
  for (const end = Date.now() + LAUNCH_LIMIT_MS; ; await pause()) {
    const running = password === undefined ? undefined : await reuse(home, storage.data, password, durable);
    if (running !== undefined) return running;

    const binaries = await usableBinaries(storage.account);
    await removeDrafts(storage);
    password ??= await createCluster(home, storage, binaries, durable);
    await disarmStalePidFile(storage.data);
    // Before the launch: a server without a known starter would belong to whoever comes next.
    await becomeOwner(home);
    const launch = await launchServer(home, storage, binaries, password, durable);
    if (launch.state === 'ready') {
      await keepPort(home, launch.port);
      return handle(launch.port, password, launch.identity);
    }
    if (launch.state === 'port-taken') portAttempts += 1;
    if (portAttempts >= MAX_PORT_ATTEMPTS || Date.now() > end) {
      const obstacle =
        launch.state === 'port-taken' ? 'found no free port' : 'found its data in use by other processes';
      throw new EmbeddedPostgresError(
        `PostgreSQL ${obstacle} in ${home.path}. See postgres.log there, then start again.`,
      );
    }
  }
}

/** Uses the server that already serves the data, or replaces one that is of no use: then undefined. */
async function reuse(
  home: Home,
  data: string,
  password: string,
  durable: boolean,
): Promise<EmbeddedPostgres | undefined> {
  const found = await findPostmaster(data);
  if (found === undefined) return undefined;
  const answering = await waitForAnswer(data, found, password);
  if (answering === undefined) {
    await killPostmaster(found.identity);
    return undefined;
  }
  const starter = await livingOwner(home);
  if (answering.durable !== durable) {
    if (starter !== undefined) {
      throw new EmbeddedPostgresError(
        `The database in ${home.path} runs ${answering.durable ? 'with' : 'without'} durable settings, as process ` +
          `${Number.parseInt(starter, 10)} started it. Stop that process first, or use another folder.`,
      );
    }
    await endPostmaster(found.identity);
    return undefined;
  }
  if (starter !== undefined) return handle(answering.port, password, undefined);
  await becomeOwner(home);
  return handle(answering.port, password, found.identity);
}

/** Waits for the postmaster's answer; undefined when it ended, or gave none in time. */
async function waitForAnswer(
  data: string,
  postmaster: Postmaster,
  password: string,
): Promise<{ port: number; durable: boolean } | undefined> {
  const start = Date.now();
  let limit = SILENT_LIMIT_MS;
  while (Date.now() - start < limit) {
    const now = await findPostmaster(data);
    if (now?.identity !== postmaster.identity) return undefined;
    // The port is written a moment after the pid.
    const answer = now.port > 0 ? await ask(now.port, password) : undefined;
    if (answer?.state === 'ready') return { port: now.port, durable: answer.durable };
    if (answer?.state === 'busy') limit = BUSY_LIMIT_MS;
    await pause();
  }
  return undefined;
}

/** `identity` names the postmaster to stop; undefined when that is another process's business. */
function handle(port: number, password: string, identity: string | undefined): EmbeddedPostgres {
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    if (identity === undefined) return;
    await endPostmaster(identity).catch((error: unknown) => {
      throw readable(error);
    });
  };
  return { url: urlOf(port, password), port, stop: () => (stopping ??= stop()) };
}

async function becomeOwner(home: Home): Promise<void> {
  await writeHomeFile(home, OWNER_FILE, (await processIdentity(process.pid)) ?? '');
}

/** The process that started the server, if it still lives. */
async function livingOwner(home: Home): Promise<string | undefined> {
  const owner = await readFile(join(home.path, OWNER_FILE), 'utf8').catch(() => '');
  return (await isAlive(owner)) ? owner : undefined;
}

import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgresError, absent } from './errors';
import { endProcess, postmasterIdentity } from './processes';

/** What a postmaster writes about itself into its data folder. */
interface PidFile {
  pid: number;
  port: number;
  /** "starting", "ready", "stopping"…; empty at the very beginning. */
  status: string;
}

/** A postmaster that lives and serves the data folder. */
export interface Postmaster extends PidFile {
  identity: string;
}

const FAST_LIMIT_MS = 10_000;
const IMMEDIATE_LIMIT_MS = 5_000;

/** Reads postmaster.pid; undefined when there is none, or it is still being written. */
export async function readPidFile(data: string): Promise<PidFile | undefined> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(absent);
  if (text === undefined) return undefined;
  // Line 1: pid, 4: port, 8: status (PostgreSQL's miscadmin.h).
  const lines = text.split('\n');
  const pid = Number.parseInt(lines[0] ?? '', 10);
  return pid > 0 ? { pid, port: Number.parseInt(lines[3] ?? '', 10) || 0, status: (lines[7] ?? '').trim() } : undefined;
}

/** The living postmaster of the data folder, if there is one. */
export async function findPostmaster(data: string): Promise<Postmaster | undefined> {
  const file = await readPidFile(data);
  if (file === undefined) return undefined;
  const identity = await postmasterIdentity(file.pid, data);
  return identity === undefined ? undefined : { ...file, identity };
}

/**
 * Makes a stale postmaster.pid harmless. PostgreSQL refuses to start when the pid in it lives, even as a zombie or as
 * an unrelated process, but it disregards the pid of its own parent, which is us. Removing the file instead would also
 * remove the record of shared memory by which PostgreSQL notices surviving processes of the old server.
 */
export async function disarmStalePidFile(data: string): Promise<void> {
  // Root must not follow a link that the account of the server planted.
  const file = await open(join(data, 'postmaster.pid'), constants.O_RDWR | constants.O_NOFOLLOW).catch(absent);
  if (file === undefined) return;
  try {
    const text = await file.readFile('utf8');
    await file.truncate();
    await file.write(text.replace(/^-?\d+/, String(process.pid)), 0);
  } finally {
    await file.close();
  }
}

/**
 * Ends a postmaster: a fast shutdown, after 10 s an immediate one, at last kill. Resolves when it is gone; rejects with
 * EmbeddedPostgresError when even that does not end it.
 */
export async function endPostmaster(identity: string): Promise<void> {
  if (await endProcess(identity, 'SIGINT', FAST_LIMIT_MS)) return;
  await killPostmaster(identity);
}

/** Ends a postmaster that does not answer: an immediate shutdown, then kill. Its next start recovers the data. */
export async function killPostmaster(identity: string): Promise<void> {
  if (await endProcess(identity, 'SIGQUIT', IMMEDIATE_LIMIT_MS)) return;
  if (await endProcess(identity, 'SIGKILL', IMMEDIATE_LIMIT_MS)) return;
  throw new EmbeddedPostgresError(
    `The PostgreSQL process ${Number.parseInt(identity, 10)} does not end, even when killed. Its disk may hang; ` +
      'check the system log.',
  );
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { spawnAs } from './account';
import type { Binaries } from './binaries';
import { ask } from './connection';
import { EmbeddedPostgresError } from './errors';
import { pickPort } from './port';
import { killPostmaster, readPidFile } from './postmaster';
import { processIdentity } from './processes';
import { type ServerLog, openServerLog } from './server-log';
import type { Home, Storage } from './storage';
import { pause } from './wait';

const READY_LIMIT_MS = 30_000;
const RECOVERY_LIMIT_MS = 60_000;
const PORT_TAKEN = /could not bind|could not create listen socket|could not create any TCP\/IP sockets/;
/** Another postmaster was faster, or processes of one that was killed have not all ended yet. */
const DATA_IN_USE = /lock file "postmaster\.pid" already exists|shared memory block .* is still in use/;
const RECOVERING = /not properly shut down|was interrupted|redo starts|syncing data directory|recovery/;

/** A server that was launched and answers, or why another attempt is due. */
type Launch = { state: 'ready'; port: number; identity: string } | { state: 'port-taken' | 'data-in-use' };

/** Durability is decided by the command line, which nothing in the data folder overrides. */
function serverArguments(data: string, port: number, durable: boolean, binaries: Binaries): string[] {
  const flag = durable ? 'on' : 'off';
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    // No socket file: its path could exceed the system's limit of about 100 bytes.
    unix_socket_directories: '',
    max_connections: 100,
    shared_buffers: '128MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'warning',
    fsync: flag,
    full_page_writes: flag,
    synchronous_commit: flag,
    ...(binaries.hasStatementStatistics ? { shared_preload_libraries: 'pg_stat_statements' } : {}),
  };
  return ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/**
 * Starts a postmaster in its own process group, so that neither Ctrl-C in the terminal nor the end of this process ends
 * it, and waits until it answers: 30 s, or 60 s while it recovers. Rejects with EmbeddedPostgresError, with the end of
 * the log, when it does not.
 */
export async function launchServer(
  home: Home,
  storage: Storage,
  binaries: Binaries,
  password: string,
  durable: boolean,
): Promise<Launch> {
  const port = await pickPort(home);
  const log = await openServerLog(home);
  const server = spawn(binaries.postgres, serverArguments(storage.data, port, durable, binaries), {
    ...spawnAs(storage.account),
    detached: true,
    stdio: ['ignore', log.file.fd, log.file.fd],
  });
  try {
    await once(server, 'spawn');
  } finally {
    await log.file.close();
  }
  server.unref();
  const pid = server.pid ?? 0;
  const identity = await processIdentity(pid);
  const hasEnded = (): boolean => server.exitCode !== null || server.signalCode !== null;
  try {
    if (await answers(storage.data, pid, password, log, hasEnded)) {
      return { state: 'ready', port, identity: identity ?? `${pid}:` };
    }
  } catch (error) {
    if (identity !== undefined) await killPostmaster(identity);
    throw error;
  }
  const text = await log.text();
  if (DATA_IN_USE.test(text)) return { state: 'data-in-use' };
  if (PORT_TAKEN.test(text)) return { state: 'port-taken' };
  throw new EmbeddedPostgresError(`PostgreSQL ended at its start. Its log in ${home.path} says:\n${await log.tail()}`);
}

/** true: it answers; false: it ended. */
async function answers(
  data: string,
  pid: number,
  password: string,
  log: ServerLog,
  hasEnded: () => boolean,
): Promise<boolean> {
  const start = Date.now();
  while (!hasEnded()) {
    const file = await readPidFile(data);
    // Before this postmaster calls itself ready, whoever answers on the port may be another server.
    if (file?.pid === pid && file.status === 'ready' && (await ask(file.port, password)).state === 'ready') return true;
    const elapsed = Date.now() - start;
    if (elapsed > RECOVERY_LIMIT_MS || (elapsed > READY_LIMIT_MS && !RECOVERING.test(await log.text()))) {
      throw new EmbeddedPostgresError(
        `PostgreSQL did not answer within ${Math.round(elapsed / 1000)} s. The end of its log:\n${await log.tail()}`,
      );
    }
    await pause();
  }
  return false;
}

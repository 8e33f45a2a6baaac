import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../libs/testing/src/free-port';

/** Root of the built programs, seen from `dist/test/bench`. */
const BUILT = join(__dirname, '../..');
export const RELAY = join(BUILT, 'apps/relay/src/main.js');
export const ADMIN_TOKEN = 'bench-admin-token-of-at-least-32-characters';
const UNLIMITED = '1000000000';
const START_LIMIT_MS = 60_000;

/** Settings of a production relay; only what would stop a load on purpose is raised. */
export function relaySettings(databaseUrl: string): Record<string, string> {
  return {
    RELAY_ENV: 'production',
    DATABASE_URL: databaseUrl,
    RELAY_KEY_PEPPERS: 'bench:bench-pepper-of-at-least-32-characters',
    RELAY_ADMIN_TOKEN: ADMIN_TOKEN,
    RELAY_RATE_PER_MINUTE: UNLIMITED,
    RELAY_RATE_BURST: UNLIMITED,
    RELAY_FAILED_AUTH_PER_MINUTE: UNLIMITED,
  };
}

/** A server program in a process of its own, so that it shares no event loop with the load. Its log goes to a file. */
export class ServerProgram {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    private readonly log: string,
    /** From its spawning to its first good answer on `/readyz`. */
    readonly startedInMs: number,
  ) {}

  static async start(script: string, settings: Record<string, string>): Promise<ServerProgram> {
    const port = await freePort();
    const log = join(mkdtempSync(join(tmpdir(), 'agentrelay-bench-log-')), 'log');
    const file = openSync(log, 'w');
    const { PATH = '', HOME = '' } = process.env;
    const since = performance.now();
    // With this process's own flags, so that `node --cpu-prof …` profiles what it starts.
    const child = spawn(process.execPath, [...process.execArgv, script], {
      env: { PATH, HOME, RELAY_PUBLIC_URL: `http://127.0.0.1:${port}`, ...settings, PORT: String(port) },
      stdio: ['ignore', file, file],
    });
    closeSync(file);
    const url = `http://127.0.0.1:${port}`;
    while (!(await isReady(url))) {
      if (child.exitCode !== null || performance.now() - since > START_LIMIT_MS) {
        child.kill('SIGKILL');
        throw new Error(`${script} does not serve. It said:\n${readFileSync(log, 'utf8').slice(-4_000)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return new ServerProgram(child, url, log, performance.now() - since);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** @throws Error with the end of its log when it had ended by itself */
  async stop(): Promise<void> {
    const { exitCode } = this.child;
    if (exitCode !== null)
      throw new Error(`${this.url} ended early. It said:\n${readFileSync(this.log, 'utf8').slice(-4_000)}`);
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await exited;
  }
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => undefined);
  return answer?.ok === true;
}

/** A relay on a database. */
export function startRelay(databaseUrl: string, settings: Record<string, string> = {}): Promise<ServerProgram> {
  return ServerProgram.start(RELAY, { ...relaySettings(databaseUrl), ...settings });
}

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../libs/testing/src/free-port';
import { bytesRead, cpuMs, peakMiB } from './process-figures';

const PROGRAM = resolve('dist/apps/relay/src/main.js');
/** The relay is attacked with a small heap, so that what is unbounded shows early. */
export const HEAP_MIB = 256;
const START_LIMIT_MS = 60_000;
const UNLIMITED = '1000000000';
const SHOWN_LOG = 3_000;

/** Random enough for production, made anew for each run. */
function secret(): string {
  return randomBytes(32).toString('base64url');
}

/** Settings as in production; only the rates are lifted, because attacks come from few keys and one address. */
export function productionSettings(databaseUrl: string): Record<string, string> {
  return {
    RELAY_ENV: 'production',
    RELAY_PUBLIC_URL: 'https://relay.acme.dev',
    DATABASE_URL: databaseUrl,
    RELAY_KEY_PEPPERS: `p1:${secret()}`,
    RELAY_ADMIN_TOKEN: secret(),
    RELAY_RATE_PER_MINUTE: UNLIMITED,
    RELAY_RATE_BURST: UNLIMITED,
    RELAY_FAILED_AUTH_PER_MINUTE: UNLIMITED,
  };
}

/** A built relay in a process of its own, with a small heap. Its log goes to a file. */
export class AttackedRelay {
  private static readonly running = new Set<AttackedRelay>();
  /** The most memory it had, known also after its end. */
  private peak = 0;
  private asked = false;

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    readonly adminToken: string,
    private readonly log: string,
  ) {}

  /** Starts it and waits until it is ready. @throws Error with what it said when it does not get ready */
  static async start(settings: Record<string, string>): Promise<AttackedRelay> {
    const port = await freePort();
    const log = join(mkdtempSync(join(tmpdir(), 'agentrelay-attack-')), 'log');
    const file = openSync(log, 'w');
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MIB}`, PROGRAM], {
      env: { PATH, HOME, ...settings, PORT: String(port) },
      stdio: ['ignore', file, file],
    });
    closeSync(file);
    const relay = new AttackedRelay(child, `http://127.0.0.1:${port}`, settings['RELAY_ADMIN_TOKEN'] ?? '', log);
    AttackedRelay.running.add(relay);
    for (const end = Date.now() + START_LIMIT_MS; !(await relay.isReady());) {
      if (!relay.isRunning || Date.now() > end) {
        child.kill('SIGKILL');
        throw new Error(`The relay does not serve. It said:\n${relay.said}`);
      }
      await pause(20);
    }
    return relay;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** How it ended although nobody had asked it to. */
  get endedBy(): string | undefined {
    if (this.isRunning || this.asked) return undefined;
    const reason = (/FATAL ERROR.*/.exec(this.said) ?? /^(Range)?Error: .*/m.exec(this.said))?.[0] ?? 'see its log';
    return `${this.child.signalCode ?? `exit code ${this.child.exitCode}`}: ${reason.slice(0, 200)} (${this.log})`;
  }

  /** The end of its log. */
  get said(): string {
    return readFileSync(this.log, 'utf8').slice(-SHOWN_LOG);
  }

  /** Milliseconds of processor time used so far. */
  get cpuMs(): number {
    return cpuMs(this.pid);
  }

  /** Bytes read so far. */
  get bytesRead(): number {
    return bytesRead(this.pid);
  }

  /** The most memory it had resident so far, in MiB; of a relay that has ended, as last noted. */
  get peakMiB(): number {
    this.notePeak();
    return this.peak;
  }

  /** To be called now and then: a process that has ended tells nothing any more. */
  notePeak(): void {
    if (this.isRunning) this.peak = peakMiB(this.pid) || this.peak;
  }

  async isReady(limitMs = 2_000): Promise<boolean> {
    const signal = AbortSignal.timeout(limitMs);
    const headers = { connection: 'close' };
    const answer = await fetch(`${this.url}/readyz`, { signal, headers }).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.status === 200;
  }

  /** Stops every relay that was started and not stopped. */
  static async stopAll(): Promise<void> {
    await Promise.all([...AttackedRelay.running].map((relay) => relay.stop()));
  }

  async stop(): Promise<void> {
    AttackedRelay.running.delete(this);
    this.asked = this.isRunning;
    if (!this.isRunning) return;
    const exited = new Promise((done) => this.child.once('exit', done));
    this.child.kill('SIGKILL');
    await exited;
  }
}

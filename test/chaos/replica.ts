import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ChildProgram } from '../../libs/testing/src/child-program';
import { freePort } from '../../libs/testing/src/free-port';
import { TcpProxy } from '../../libs/testing/src/tcp-proxy';

const PROGRAM = resolve('dist/apps/relay/src/main.js');
const PROBE_TIMEOUT_MS = 2_000;
const RESTART_PAUSE_MS = 500;

/** A relay in a process of its own, with an unreliable network on both sides. */
export class Replica {
  /** What it did that nobody had asked for. */
  readonly misdeeds: string[] = [];
  private program: ChildProgram | undefined;
  private asked = true;

  private constructor(
    readonly name: string,
    private readonly url: string,
    private readonly environment: Record<string, string>,
    /** Between the replica and the database. */
    readonly databaseSide: TcpProxy,
    /** Between the clients and the replica. */
    readonly clientSide: TcpProxy,
    /** Where clients reach it. */
    readonly clientUrl: string,
  ) {}

  static async start(name: string, databaseUrl: string, settings: Record<string, string>): Promise<Replica> {
    const url = new URL(databaseUrl);
    const databaseSide = new TcpProxy(Number(url.port));
    url.port = String(await databaseSide.listen());
    const port = await freePort();
    const clientSide = new TcpProxy(port);
    const clientUrl = `http://127.0.0.1:${await clientSide.listen()}`;
    const environment = { ...settings, PORT: String(port), DATABASE_URL: url.href };
    const replica = new Replica(name, `http://127.0.0.1:${port}`, environment, databaseSide, clientSide, clientUrl);
    await replica.bringUp();
    return replica;
  }

  /** Starts it, again and again while it cannot, as an orchestrator does; resolves when it is ready. */
  async bringUp(): Promise<void> {
    for (;;) {
      const program = ChildProgram.start(PROGRAM, this.environment);
      this.program = program;
      while (program.isRunning && !(await this.ready())) await pause(50);
      if (program.isRunning) {
        this.asked = false;
        void program.exit().then((code) => {
          if (!this.asked && this.program === program) {
            this.misdeeds.push(
              `${this.name} ended by itself with ${code ?? 'a signal'}: ${program.printed.slice(-500)}`,
            );
          }
        });
        return;
      }
      await pause(RESTART_PAUSE_MS);
    }
  }

  async ready(): Promise<boolean> {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const headers = { connection: 'close' };
    const answer = await fetch(`${this.url}/readyz`, { signal, headers }).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.status === 200;
  }

  freeze(): void {
    this.program?.kill('SIGSTOP');
  }

  thaw(): void {
    this.program?.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    this.asked = true;
    this.program?.kill('SIGKILL');
    await this.program?.exit();
  }

  /** Asks it to end, and returns how long it took. */
  async terminate(): Promise<number> {
    this.asked = true;
    const start = performance.now();
    this.program?.kill('SIGTERM');
    const code = await this.program?.exit();
    if (code !== 0) this.misdeeds.push(`${this.name} exited with ${code ?? 'a signal'} on SIGTERM.`);
    return performance.now() - start;
  }

  async stop(): Promise<void> {
    await this.kill();
    this.databaseSide.close();
    this.clientSide.close();
  }
}

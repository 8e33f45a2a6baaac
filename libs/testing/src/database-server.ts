import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@agentrelay/embedded-postgres';
import { eventually } from './eventually';

/** A PostgreSQL of one's own, as durable as in production, that can be made to fail. */
export class DatabaseServer {
  private constructor(
    private readonly directory: string,
    private server: EmbeddedPostgres,
  ) {}

  static async start(): Promise<DatabaseServer> {
    const directory = mkdtempSync(join(tmpdir(), 'agentrelay-server-'));
    return new DatabaseServer(directory, await startEmbeddedPostgres({ directory, durable: true }));
  }

  get url(): string {
    return this.server.url;
  }

  get port(): number {
    return this.server.port;
  }

  /** Ends it at once, as a crash does: connections break, and the next start recovers. */
  async crash(): Promise<void> {
    const [pid = ''] = readFileSync(join(this.directory, 'data', 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGQUIT');
    await eventually('PostgreSQL has ended', () => !isAlive(Number(pid)), 30_000);
  }

  /** Starts it again, at the same port unless that was taken meanwhile. */
  async restart(): Promise<void> {
    this.server = await startEmbeddedPostgres({ directory: this.directory, durable: true });
  }

  /** Ends it for good, and starts another server with the same data. */
  async failOver(): Promise<DatabaseServer> {
    await this.server.stop();
    const directory = mkdtempSync(join(tmpdir(), 'agentrelay-server-'));
    cpSync(this.directory, directory, { recursive: true, preserveTimestamps: true });
    rmSync(this.directory, { recursive: true });
    // It shall get a port of its own.
    rmSync(join(directory, 'port'), { force: true });
    return new DatabaseServer(directory, await startEmbeddedPostgres({ directory, durable: true }));
  }

  async stop(): Promise<void> {
    await this.server.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

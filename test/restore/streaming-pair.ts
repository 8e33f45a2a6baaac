import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually, freePort, TcpProxy } from '@agentrelay/testing';
import { accountOf, programs } from './system-postgres';

const run = promisify(execFile);

/** One PostgreSQL server of a pair. */
interface Server {
  data: string;
  port: number;
  process: ChildProcess;
}

/** A primary with an asynchronous standby behind one address, as an operator on Kubernetes keeps them. */
export class StreamingPair {
  private constructor(
    readonly bin: string,
    private readonly directory: string,
    private readonly account: { uid: number; gid: number } | undefined,
    private readonly primary: Server,
    private readonly standby: Server,
    private readonly address: TcpProxy,
    private readonly wire: TcpProxy,
    private readonly port: number,
  ) {}

  static async start(): Promise<StreamingPair> {
    const bin = programs();
    const account = process.getuid?.() === 0 ? accountOf('postgres') : undefined;
    const directory = mkdtempSync(join(tmpdir(), 'agentrelay-pair-'));
    if (account !== undefined) chownSync(directory, account.uid, account.gid);
    const as = { ...account, cwd: directory, env: { LC_ALL: 'C' } };
    const start = async (data: string): Promise<Server> => {
      const port = await freePort();
      const options = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', directory, '-c', 'fsync=off'];
      const server = spawn(join(bin, 'postgres'), options, { ...as, stdio: 'ignore' });
      await answers(bin, port);
      return { data, port, process: server };
    };
    const first = join(directory, 'first');
    await run(join(bin, 'initdb'), ['-D', first, '-U', 'relay', '--auth=trust', '--encoding=UTF8', '--no-sync'], as);
    const primary = await start(first);
    // The standby hears of commits over this wire, which can be cut.
    const wire = new TcpProxy(primary.port);
    const wirePort = await wire.listen();
    const second = join(directory, 'second');
    await run(
      join(bin, 'pg_basebackup'),
      ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'relay', '-D', second, '-c', 'fast'],
      as,
    );
    execFileSync('touch', [join(second, 'standby.signal')], as);
    appendFileSync(
      join(second, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=127.0.0.1 port=${wirePort} user=relay'\n`,
    );
    const standby = await start(second);
    const address = new TcpProxy(primary.port);
    const port = await address.listen();
    return new StreamingPair(bin, directory, account, primary, standby, address, wire, port);
  }

  /** Where relays connect to, whichever server is behind it. */
  get url(): string {
    return `postgres://relay@127.0.0.1:${this.port}/relay`;
  }

  async createDatabase(): Promise<void> {
    await run(join(this.bin, 'createdb'), ['-h', '127.0.0.1', '-p', String(this.primary.port), '-U', 'relay', 'relay']);
  }

  /** Waits until the standby has everything. */
  async caughtUp(): Promise<void> {
    await eventually('the standby has replayed all', async () => {
      const { stdout } = await this.psql(
        this.primary,
        'SELECT count(*) FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()',
      );
      return stdout.trim() === '1';
    });
  }

  /** From now on the standby hears nothing: what is committed is lost with the primary. */
  cutTail(): void {
    this.wire.close();
  }

  /** The primary is gone for good; the standby takes its place behind the same address. */
  async failOver(): Promise<void> {
    this.primary.process.kill('SIGQUIT');
    await once(this.primary.process, 'exit');
    this.address.pointTo(this.standby.port);
    this.address.cut();
    await run(join(this.bin, 'pg_ctl'), ['promote', '-D', this.standby.data, '-w'], {
      ...this.account,
      cwd: this.directory,
    });
  }

  async stop(): Promise<void> {
    this.address.close();
    for (const { process: server } of [this.primary, this.standby]) {
      if (server.exitCode !== null || server.signalCode !== null) continue;
      server.kill('SIGINT');
      await once(server, 'exit');
    }
    rmSync(this.directory, { recursive: true });
  }

  private psql(server: Server, statement: string): Promise<{ stdout: string }> {
    return run(join(this.bin, 'psql'), [
      '-XAtc',
      statement,
      '-h',
      '127.0.0.1',
      '-p',
      String(server.port),
      '-U',
      'relay',
      'postgres',
    ]);
  }
}

async function answers(bin: string, port: number): Promise<void> {
  await eventually('PostgreSQL answers', () =>
    run(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).then(
      () => true,
      () => false,
    ),
  );
}

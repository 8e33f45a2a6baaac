import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually, freePort } from '@agentrelay/testing';

const run = promisify(execFile);
const PACKAGED = '/usr/lib/postgresql';

/** A throw-away cluster of the PostgreSQL that this machine has installed, with its client programs. */
export class SystemPostgres {
  private constructor(
    /** Where pg_dump, pg_restore, createdb and dropdb are. */
    readonly bin: string,
    readonly url: string,
    private readonly server: ChildProcess,
    private readonly directory: string,
  ) {}

  /** @throws Error when no PostgreSQL is installed */
  static async start(): Promise<SystemPostgres> {
    const bin = programs();
    const account = process.getuid?.() === 0 ? accountOf('postgres') : undefined;
    const directory = mkdtempSync(join(tmpdir(), 'agentrelay-restore-'));
    if (account !== undefined) chownSync(directory, account.uid, account.gid);
    const data = join(directory, 'data');
    const port = await freePort();
    const as = { ...account, cwd: directory, env: { LC_ALL: 'C' } };
    await run(join(bin, 'initdb'), ['-D', data, '-U', 'relay', '--auth=trust', '--encoding=UTF8', '--no-sync'], as);
    const options = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', directory, '-c', 'fsync=off'];
    const server = spawn(join(bin, 'postgres'), options, { ...as, stdio: 'ignore' });
    await eventually('PostgreSQL answers', () =>
      run(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).then(
        () => true,
        () => false,
      ),
    );
    return new SystemPostgres(bin, `postgres://relay@127.0.0.1:${port}/relay`, server, directory);
  }

  async stop(): Promise<void> {
    this.server.kill('SIGINT');
    await once(this.server, 'exit');
    rmSync(this.directory, { recursive: true });
  }
}

export function programs(): string {
  const versions = existsSync(PACKAGED) ? readdirSync(PACKAGED).sort((one, other) => Number(other) - Number(one)) : [];
  const bin = versions
    .map((version) => join(PACKAGED, version, 'bin'))
    .find((path) => existsSync(join(path, 'pg_dump')));
  if (bin === undefined) {
    throw new Error(
      'The restore test needs an installed PostgreSQL with its client programs (Debian: apt install postgresql).',
    );
  }
  return bin;
}

export function accountOf(name: string): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, name]).toString());
  return { uid: id('-u'), gid: id('-g') };
}

import { type EmbeddedPostgres, EmbeddedPostgresError, startEmbeddedPostgres } from '@agentrelay/embedded-postgres';
import { existsSync, readlinkSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { type Starter, makeCheckout, packageOf, runStarter } from './checkout';

jest.setTimeout(60_000);

/** An account without privileges; it needs no name. */
const NOBODY = 65_534;
const itAsRoot = process.getuid?.() === 0 ? it : it.skip;

let scratch: string;
let checkout: string;
let directory: string;
let running: EmbeddedPostgres[];
let starters: Starter[];
let clusters = 0;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'agentrelay-embedded-'));
  // Other accounts take part in some tests, and use it as their temporary folder.
  await chmod(scratch, 0o1777);
  checkout = makeCheckout(join(scratch, 'checkout'), false);
});

afterAll(async () => {
  await rm(scratch, { recursive: true, force: true });
});

function newDirectory(): string {
  return join(scratch, `cluster-${++clusters}`);
}

async function start(durable = false): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ directory, durable });
  running.push(server);
  return server;
}

function startElsewhere(options: { from?: string; uid?: number } = {}): Starter {
  const starter = runStarter(options.from ?? checkout, directory, {
    tmp: scratch,
    ...(options.uid === undefined ? {} : { uid: options.uid }),
  });
  starters.push(starter);
  return starter;
}

async function urlFrom(starter: Starter): Promise<string> {
  const { url, error } = await starter.outcome;
  if (url === undefined) throw new Error(`the starter failed: ${error}`);
  return url;
}

async function query<Row>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows as Row[];
  } finally {
    await client.end();
  }
}

async function note(url: string, text: string): Promise<void> {
  await query(url, `CREATE TABLE IF NOT EXISTS note (text text); INSERT INTO note VALUES ('${text}')`);
}

async function notes(url: string): Promise<string[]> {
  return (await query<[string]>(url, 'SELECT text FROM note ORDER BY text')).map(([text]) => text);
}

async function postmasterPid(): Promise<number> {
  return Number.parseInt(await readFile(join(directory, 'data', 'postmaster.pid'), 'utf8'), 10);
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 });
    socket.once('close', () => resolve(false));
    socket.once('error', () => socket.destroy()).once('timeout', () => socket.destroy());
    socket.once('connect', () => {
      resolve(true);
      socket.destroy();
    });
  });
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(5);
}

describe('embedded PostgreSQL', () => {
  describe('once started', () => {
    let server: EmbeddedPostgres;

    beforeAll(async () => {
      directory = newDirectory();
      server = await startEmbeddedPostgres({ directory, durable: false });
    });

    afterAll(() => server.stop());

    it('is PostgreSQL 17 with UTF-8, time zone UTC and password protection, and answers under its URL', async () => {
      expect(server.url).toMatch(
        new RegExp(`^postgres://agentrelay:[0-9a-f]{48}@127\\.0\\.0\\.1:${server.port}/agentrelay$`),
      );
      const [row] = await query<string[]>(
        server.url,
        `SELECT current_setting('server_version_num')::int / 10000, current_setting('server_encoding'), current_setting('TimeZone')`,
      );
      expect(row).toEqual([17, 'UTF8', 'UTC']);
      await expect(query(server.url.replace(/:[0-9a-f]{48}@/, ':guess@'), 'SELECT 1')).rejects.toThrow('password');
    });

    it('keeps its secrets from other users', async () => {
      expect((await stat(join(directory, 'password'))).mode & 0o777).toBe(0o600);
      expect((await stat(join(directory, 'data'))).mode & 0o077).toBe(0);
      expect((await stat(directory)).mode & 0o066).toBe(0);
    });

    it('listens on loopback only, and on no socket file', async () => {
      const { url, port } = server;
      expect(
        await query(url, `SELECT current_setting('listen_addresses'), current_setting('unix_socket_directories')`),
      ).toEqual([['127.0.0.1', '']]);
      expect(await accepts('127.0.0.1', port)).toBe(true);
    });

    itAsRoot('started by root, it runs as another account', async () => {
      expect((await stat(`/proc/${await postmasterPid()}`)).uid).not.toBe(0);
      expect((await stat(join(directory, 'data'))).uid).not.toBe(0);
    });
  });

  describe('from start to start', () => {
    beforeEach(() => {
      directory = newDirectory();
      running = [];
      starters = [];
    });

    afterEach(async () => {
      await Promise.all(running.map((server) => server.stop()));
      await Promise.all(starters.filter((each) => each.process.exitCode === null).map((each) => each.kill()));
      // A test that failed halfway may have left a server behind: whoever starts next owns it, and stops it.
      if (existsSync(join(directory, 'data', 'postmaster.pid'))) await (await start()).stop();
    });

    it.each([
      [true, 'on'],
      [false, 'off'],
    ])('with durable %s has fsync, full_page_writes and synchronous_commit %s', async (durable, flag) => {
      const { url } = await start(durable);

      const settings = `SELECT current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit')`;
      expect(await query(url, settings)).toEqual([[flag, flag, flag]]);
    });

    it('keeps data, password and port from one start to the next', async () => {
      const first = await start();
      await note(first.url, 'kept');
      await first.stop();
      expect(await accepts('127.0.0.1', first.port)).toBe(false);

      const second = await start();

      expect(second.url).toBe(first.url);
      expect(await notes(second.url)).toEqual(['kept']);
    });

    it('takes another port when the last one is in use by now', async () => {
      const first = await start();
      await first.stop();
      const squatter = createServer().listen(first.port, '127.0.0.1');

      const second = await start();

      expect(second.port).not.toBe(first.port);
      expect(await query(second.url, 'SELECT 1')).toEqual([[1]]);
      await new Promise((resolve) => squatter.close(resolve));
    });

    it('survives kill -9 of its starter; the next starter uses the server again, owns it, and stops it', async () => {
      const starter = startElsewhere();
      await note(await urlFrom(starter), 'before the kill');
      const pid = await postmasterPid();
      await starter.kill();

      const heir = await start();

      expect(await postmasterPid()).toBe(pid);
      expect(await notes(heir.url)).toEqual(['before the kill']);
      await heir.stop();
      expect(await accepts('127.0.0.1', heir.port)).toBe(false);
    });

    it('with durable settings recovers all committed data after kill -9 of the postmaster', async () => {
      const first = await start(true);
      await note(first.url, 'committed');
      const pid = await postmasterPid();
      process.kill(pid, 'SIGKILL');

      const second = await start(true);

      expect(await postmasterPid()).not.toBe(pid);
      expect(await notes(second.url)).toEqual(['committed']);
    });

    it('heals a first start that was killed in the middle of initdb', async () => {
      const starter = startElsewhere();
      const drafts = async (): Promise<string[]> =>
        (await readdir(directory).catch(() => [])).filter((name) => name.startsWith('initdb-'));
      await until(async () => (await drafts()).some((draft) => existsSync(join(directory, draft, 'data', 'base'))));
      await starter.kill();
      expect(existsSync(join(directory, 'data'))).toBe(false);

      const { url } = await start();

      expect(await query(url, 'SELECT 1')).toEqual([[1]]);
    });

    it('starts in spite of a stale pid file that names a living, unrelated process', async () => {
      const first = await start();
      await note(first.url, 'still here');
      const pidFile = join(directory, 'data', 'postmaster.pid');
      const content = await readFile(pidFile, 'utf8');
      const { uid, gid } = await stat(pidFile);
      await first.stop();
      // This process's parent: alive, and not PostgreSQL.
      await writeFile(pidFile, content.replace(/^\d+/, String(process.ppid)), { mode: 0o600 });
      await chown(pidFile, uid, gid);

      const second = await start();

      expect(await notes(second.url)).toEqual(['still here']);
    });

    it('gives several starters at once the same server, which only the one that started it stops', async () => {
      const all = [startElsewhere(), startElsewhere(), startElsewhere()];
      const urls = await Promise.all(all.map(urlFrom));
      expect(new Set(urls).size).toBe(1);
      const url = urls[0] ?? '';
      const owner = Number.parseInt(await readFile(join(directory, 'owner'), 'utf8'), 10);

      await Promise.all(all.filter((each) => each.process.pid !== owner).map((each) => each.stop()));
      expect(await query(url, 'SELECT 1')).toEqual([[1]]);

      await Promise.all(all.filter((each) => each.process.pid === owner).map((each) => each.stop()));
      expect(await accepts('127.0.0.1', Number(new URL(url).port))).toBe(false);
    });

    it('refuses to share a running server of the other durability, and says why', async () => {
      await start(false);

      await expect(start(true)).rejects.toThrow(EmbeddedPostgresError);
      await expect(start(true)).rejects.toThrow(/without durable settings.*Stop that process/);
    });

    it('says that the password is lost instead of overwriting the data', async () => {
      await (await start()).stop();
      await rm(join(directory, 'password'));

      await expect(start()).rejects.toThrow(/password in .* is gone.*remove/);
      expect(existsSync(join(directory, 'data', 'PG_VERSION'))).toBe(true);
    });

    it('rebuilds the library links that a blocked install script left out', async () => {
      const bare = makeCheckout(join(scratch, 'bare'), true);
      const link = join(packageOf(bare), 'native', 'lib', 'libpq.so.5');
      const starter = startElsewhere({ from: bare });

      expect(await query(await urlFrom(starter), 'SELECT 1')).toEqual([[1]]);

      if (process.platform === 'linux') expect(readlinkSync(link)).toMatch(/^libpq\.so\.5\.\d+$/);
      await starter.stop();
    });

    itAsRoot('uses a copy when the links are missing and the package is read-only', async () => {
      const readOnly = makeCheckout(join(scratch, 'read-only'), true);
      directory = join(await folderOfNobody(), 'cluster');
      const starter = startElsewhere({ from: readOnly, uid: NOBODY });

      expect(await query(await urlFrom(starter), 'SELECT 1')).toEqual([[1]]);

      expect(existsSync(join(packageOf(readOnly), 'native', 'lib', 'libpq.so.5'))).toBe(false);
      await starter.stop();
    });

    itAsRoot('started by root first, tells an ordinary user who owns the folder and what to do', async () => {
      await (await start()).stop();

      const { error } = await startElsewhere({ uid: NOBODY }).outcome;

      expect(error).toMatch(/^EmbeddedPostgresError: .*cluster-\d+ belongs to root \(uid 0\).*remove the folder/);
    });

    itAsRoot('started by an ordinary user first, serves root as that user, and then the user again', async () => {
      directory = join(await folderOfNobody(), 'cluster');
      const first = startElsewhere({ uid: NOBODY });
      await note(await urlFrom(first), 'from the user');
      await first.stop();

      const { url } = await start();
      expect((await stat(`/proc/${await postmasterPid()}`)).uid).toBe(NOBODY);
      expect(await notes(url)).toEqual(['from the user']);
      await running.pop()?.stop();

      const second = startElsewhere({ uid: NOBODY });
      expect(await notes(await urlFrom(second))).toEqual(['from the user']);
      await second.stop();
    });

    itAsRoot('runs from a checkout that only root can enter, and finds its data again', async () => {
      const hidden = join(scratch, 'hidden');
      await mkdir(hidden, { mode: 0o700 });
      makeCheckout(hidden, true);
      directory = join(hidden, 'cluster');
      const first = startElsewhere({ from: hidden });
      await note(await urlFrom(first), 'out of reach');
      await first.stop();
      const elsewhere = dirname(readlinkSync(join(directory, 'data')));

      const second = startElsewhere({ from: hidden });
      expect(await notes(await urlFrom(second))).toEqual(['out of reach']);
      await second.stop();
      await rm(elsewhere, { recursive: true });

      expect((await startElsewhere({ from: hidden }).outcome).error).toMatch(/are gone. Restore them, or remove/);
    });
  });
});

async function folderOfNobody(): Promise<string> {
  const folder = join(scratch, `nobody-${clusters}`);
  await mkdir(folder, { mode: 0o700 });
  await chown(folder, NOBODY, NOBODY);
  return folder;
}

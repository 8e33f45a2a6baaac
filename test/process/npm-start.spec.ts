import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChildProgram, createDatabase, freePort } from '@agentrelay/testing';
import { readConfigFile } from '@agentrelay/workstation';

const START = join(__dirname, '../../dist/scripts/start.js');
const DEMO = join(__dirname, '../../dist/scripts/demo.js');

describe('npm start', () => {
  let state: string;
  let program: ChildProgram | undefined;
  let squatter: Server | undefined;

  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), 'agentrelay-start-'));
  });

  afterEach(async () => {
    program?.kill('SIGTERM');
    await program?.exit();
    squatter?.close();
    rmSync(state, { recursive: true, force: true });
  });

  async function start(environment: Record<string, string> = {}): Promise<string> {
    program = ChildProgram.start(START, { AGENTRELAY_STATE_DIR: state, PORT: '0', ...environment });
    const [, url = ''] = await program.prints(/AgentRelay is serving at (\S+)/);
    return url;
  }

  it('serves with its own database and two demo agents, keeps them over a kill -9, and the demo runs on it', async () => {
    await start();
    expect(program?.printed).toContain('claude mcp add agentrelay');
    expect(program?.printed).toContain('codex mcp add agentrelay');
    const bob = readConfigFile(join(state, 'demo', 'bob'));
    expect(bob?.agent_handle).toBe('bob@acme');
    expect(program?.printed).not.toContain(bob?.api_key);
    for (const file of readdirSync(state, { recursive: true, encoding: 'utf8' })) {
      if (/(config|secrets)\.json$/.test(file)) expect(statSync(join(state, file)).mode & 0o077).toBe(0);
    }

    program?.kill('SIGKILL');
    await program?.exit();
    const url = await start();
    const again = readConfigFile(join(state, 'demo', 'bob'));
    expect(again).toEqual({ ...bob, relay_url: url });
    const me = await fetch(`${url}/agents/me`, { headers: { authorization: `Bearer ${bob?.api_key ?? ''}` } });
    expect(me.status).toBe(200);

    const demo = ChildProgram.start(DEMO, { AGENTRELAY_STATE_DIR: state });
    expect(await demo.exit()).toBe(0);
    expect(demo.printed).toContain(`Two agents on the relay at ${url}`);
    expect(demo.printed).toContain('Forward cursors are enough; the client is adapted.');
  });

  it('warns of a HOST other than loopback, naming what is open', async () => {
    await start({ HOST: '127.0.0.1' });
    expect(program?.printed).not.toContain('Warning');
    program?.kill('SIGTERM');
    await program?.exit();
    await start({ HOST: '0.0.0.0', RELAY_METRICS_PORT: '0' });
    await program?.prints(/Warning: HOST=0\.0\.0\.0[^]*\/admin for whoever has the admin token[^]*metrics/);
  });

  it('uses the database of DATABASE_URL, and says what to do when its agents are not the demo ones', async () => {
    const database = await createDatabase(`agentrelay_test_start_${process.env['JEST_WORKER_ID'] ?? '0'}`, 'empty');
    await start({ DATABASE_URL: database.url });
    expect(await database.query('SELECT handle FROM agents ORDER BY handle')).toEqual([
      { handle: 'bob@acme' },
      { handle: 'frank@acme' },
    ]);
    program?.kill('SIGTERM');
    expect(await program?.exit()).toBe(0);
    rmSync(join(state, 'demo'), { recursive: true });
    await start({ DATABASE_URL: database.url });
    expect(program?.printed).toContain('Its agents were registered elsewhere');
    program?.kill('SIGTERM');
    await program?.exit();
    await database.close();
  });

  it('takes its administrator’s token from a file', async () => {
    const token = 'token-of-a-file-that-is-at-least-32-long';
    const file = join(state, 'token');
    writeFileSync(file, `${token}\n`, { mode: 0o600 });
    const url = await start({ RELAY_ADMIN_TOKEN_FILE: file });
    const agents = await fetch(`${url}/admin/agents`, { headers: { authorization: `Bearer ${token}` } });
    expect(agents.status).toBe(200);
    expect(program?.printed).toContain('Two demo agents are registered');
  });

  it('says which port is taken and how to choose another', async () => {
    const port = await freePort();
    squatter = createServer().listen(port, '127.0.0.1');
    program = ChildProgram.start(START, { AGENTRELAY_STATE_DIR: state, PORT: String(port) });
    expect(await program.exit()).toBe(1);
    expect(program.printed).toBe(
      `Port ${port} is taken: another relay of yours may be running. Stop it, or start on another port: PORT=8081 npm start\n`,
    );
  });
});

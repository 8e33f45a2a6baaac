import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { McpSession, useRelay } from '@agentrelay/testing';

const ROOT = resolve(__dirname, '../..');
const relay = useRelay();

interface Packed {
  filename: string;
  size: number;
  files: { path: string; mode: number }[];
}

let packed: Packed;
let installed: string;

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'agentrelay-package-'));
  const options = ['pack', join(ROOT, 'dist/package'), '--json', '--pack-destination', folder];
  [packed] = JSON.parse(execFileSync('npm', options, { encoding: 'utf8' })) as [Packed];
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  // Offline: there is nothing to fetch.
  const install = ['install', '--offline', '--no-audit', '--no-fund', join(folder, packed.filename)];
  execFileSync('npm', install, { cwd: folder, encoding: 'utf8' });
  installed = join(folder, 'node_modules');
});

describe('the package agentrelay-mcp', () => {
  it('holds a file for each program, its licences and a page, and nothing of the sources', () => {
    const names = packed.files.map(({ path }) => path);
    expect(names.sort()).toEqual([
      'LICENSE',
      'README.md',
      'THIRD-PARTY-LICENSES',
      'agentrelay-mcp.js',
      'agentrelay.js',
      'package.json',
      'proxied-fetch.js',
    ]);
    expect(packed.size).toBeLessThan(2_000_000);
    const manifest = JSON.parse(readFileSync(join(installed, 'agentrelay-mcp/package.json'), 'utf8')) as object;
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(manifest).toMatchObject({ name: 'agentrelay-mcp', version, engines: { node: '>=20.19' } });
    for (const member of ['scripts', 'dependencies', 'devDependencies', 'private'])
      expect(manifest).not.toHaveProperty(member);
    for (const { path } of packed.files) {
      const content = readFileSync(join(installed, 'agentrelay-mcp', path), 'utf8');
      expect([path, /sourceMappingURL=|ar_(live|test)_[A-Za-z0-9]{8}/.test(content)]).toEqual([path, false]);
      expect([path, content.includes(ROOT)]).toEqual([path, false]);
    }
    expect(readFileSync(join(installed, 'agentrelay-mcp/THIRD-PARTY-LICENSES'), 'utf8')).toContain(
      '---- @nestjs/core ',
    );
  });

  it('brings nothing else along, and links programs that can be run', () => {
    expect(readdirSync(installed).filter((name) => !name.startsWith('.'))).toEqual(['agentrelay-mcp']);
    for (const name of readdirSync(join(installed, '.bin'))) {
      expect(statSync(join(installed, '.bin', name)).mode & 0o111).not.toBe(0);
    }
  });

  it('serves a client where it was installed: initialize, ten tools, calls against a relay', async () => {
    const { bob, frank } = await relay.pair();
    await bob.send('frank@acme');
    const session = await McpSession.start(
      { AGENTRELAY_URL: frank.url, AGENTRELAY_API_KEY: frank.apiKey },
      join(installed, '.bin/agentrelay-mcp'),
    );
    expect(session.client.getServerVersion()).toEqual({ name: 'agentrelay', version: '0.1.0' });
    expect((await session.client.listTools()).tools).toHaveLength(10);
    expect((await session.call('check_inbox')).text).toContain('| Please have a look.');
    const sent = await session.call('handoff_to_teammate', { to: 'bob@acme', intent: 'inform', summary: 'Thanks.' });
    expect(sent.structured).toMatchObject({ status: 'pending', recipient: 'bob@acme' });
    expect(session.stderr).toBe('');
    await session.stop();
  });

  it('is the same server as `agentrelay mcp`', async () => {
    const frank = await relay.agent('frank@acme');
    const session = await McpSession.start(
      { AGENTRELAY_URL: frank.url, AGENTRELAY_API_KEY: frank.apiKey },
      join(installed, '.bin/agentrelay'),
      ['mcp'],
    );
    expect((await session.client.listTools()).tools).toHaveLength(10);
    await session.stop();
  });

  it('has the command line beside the server, with everything that it loads when it is needed', async () => {
    const frank = await relay.agent('frank@acme');
    const env = {
      PATH: process.env['PATH'],
      HOME: mkdtempSync(join(tmpdir(), 'agentrelay-packed-')),
      AGENTRELAY_URL: frank.url,
      AGENTRELAY_API_KEY: frank.apiKey,
    };
    const run = async (...args: string[]): Promise<string> =>
      (await promisify(execFile)(join(installed, '.bin/agentrelay'), args, { env })).stdout;
    expect(await run('--version')).toBe('0.1.0\n');
    expect(await run('trust', 'set', 'bob@acme', '--auto-read')).toContain('bob@acme: may read unasked');
    expect(await run('install', '--client', 'all')).toContain('[mcp_servers.agentrelay]');
    const { ok, checks } = JSON.parse(await run('doctor', '--json')) as { ok: boolean; checks: object[] };
    expect([ok, checks.length]).toEqual([true, 15]);
    expect(await run('install', '--client', 'all', '--uninstall')).toContain('-[mcp_servers.agentrelay]');
  });
});

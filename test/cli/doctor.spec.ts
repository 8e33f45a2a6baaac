import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { useRelay } from '@agentrelay/testing';
import { PROGRAM, Workstation } from './agentrelay';

const relay = useRelay();

interface Diagnosis {
  ok: boolean;
  mended?: string[];
  checks: { check: string; state: string; message: string; next?: string; took_ms?: number }[];
}

async function doctor(
  workstation: Workstation,
  args: string[] = [],
  environment: Record<string, string> = {},
): Promise<Diagnosis & { code: number }> {
  const { code, stdout } = await workstation.run(['doctor', '--json', ...args], environment);
  return { code, ...(JSON.parse(stdout) as Diagnosis) };
}

function states({ checks }: Diagnosis): Record<string, string> {
  return Object.fromEntries(checks.map(({ check, state }) => [check, state]));
}

describe('doctor', () => {
  it('proves the path with a real round trip and says how long it took', async () => {
    const workstation = Workstation.of(await relay.agent('frank@acme')).withClients('.claude');
    await workstation.json(['install']);
    const diagnosis = await doctor(workstation);
    expect(diagnosis).toMatchObject({ code: 0, ok: true });
    expect(states(diagnosis)).toEqual({
      config: 'ok',
      relay: 'ok',
      key: 'ok',
      clock: 'ok',
      trust: 'ok',
      'client claude-code': 'ok',
      'rules claude-code': 'ok',
      'mcp server': 'ok',
    });
    const [, round] = diagnosis.checks;
    expect(round?.message).toContain(`${relay.url} answered in ${round?.took_ms ?? -1} ms`);
    expect(round?.took_ms).toBeGreaterThanOrEqual(0);
    const text = await workstation.run(['doctor']);
    expect(text.code).toBe(0);
    expect(text.stdout).toContain('All is well.');
    expect(text.stdout).not.toContain('\u001b');
  });

  it('leaves no trace at the relay: nothing counts as listed or read', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id } = await bob.send('frank@acme');
    await doctor(Workstation.of(frank));
    const { delivery } = await bob.get(task_id);
    expect(delivery.listed).toHaveProperty('cause');
  });

  it('without a configuration ends with code 1 and says how to join', async () => {
    const diagnosis = await doctor(new Workstation());
    expect(diagnosis).toMatchObject({ code: 1, ok: false });
    expect(states(diagnosis)).toEqual({ config: 'failed', trust: 'ok', clients: 'warning', 'mcp server': 'ok' });
    expect(diagnosis.checks[0]?.message).toContain("agentrelay join '<link>'");
  });

  it('tells a relay that is away from a key that is refused', async () => {
    const frank = await relay.agent('frank@acme');
    const away = await doctor(Workstation.of(frank), [], { AGENTRELAY_URL: 'http://127.0.0.1:9' });
    expect(away.code).toBe(1);
    expect(states(away)).toMatchObject({ config: 'ok', relay: 'failed' });
    await relay.admin('POST', '/admin/agents/frank@acme/keys/rotate', { overlap_seconds: 0 });
    const refused = await doctor(Workstation.of(frank));
    expect(refused.code).toBe(1);
    expect(states(refused)).toMatchObject({ relay: 'ok', key: 'failed' });
    expect(JSON.stringify(refused)).not.toContain(frank.apiKey);
  });

  it('fails for a key of a person, which the MCP server refuses', async () => {
    const human = await relay.humanOf(await relay.agent('frank@acme'));
    expect(states(await doctor(Workstation.of(human)))).toMatchObject({ relay: 'ok', key: 'failed' });
  });

  it('fails when this machine’s clock is far from the relay’s', async () => {
    const frank = await relay.agent('frank@acme');
    // The relay behind a proxy that says another time.
    const proxy = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const { authorization = '', 'content-type': type = '' } = incoming.headers;
        const headers = { authorization, ...(type === '' ? {} : { 'content-type': type }) };
        const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
        void fetch(`${relay.url}${incoming.url ?? ''}`, { method: incoming.method ?? 'GET', headers, ...body }).then(
          async (answer) => {
            outgoing.writeHead(answer.status, {
              'content-type': 'application/json',
              date: new Date(Date.now() - 3_600_000).toUTCString(),
            });
            outgoing.end(await answer.text());
          },
        );
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => proxy.once('listening', resolve));
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const diagnosis = await doctor(Workstation.of(frank), [], { AGENTRELAY_URL: url });
    proxy.close();
    proxy.closeAllConnections();
    expect(states(diagnosis)).toMatchObject({ relay: 'ok', key: 'ok', clock: 'failed' });
    expect(diagnosis.checks.find(({ check }) => check === 'clock')?.message).toMatch(/^36\d\d s ahead of/);
  });

  it('finds open files, a trust.yaml that does not parse and an entry for a program that is gone; --fix mends the first and last', async () => {
    const workstation = Workstation.of(await relay.agent('frank@acme')).withClients('.cursor');
    await workstation.json(['install']);
    const config = join(workstation.home, 'config.json');
    const trust = join(workstation.home, 'trust.yaml');
    const servers = workstation.path('.cursor/mcp.json');
    chmodSync(config, 0o644);
    writeFileSync(trust, 'version: [', { mode: 0o600 });
    writeFileSync(servers, readFileSync(servers, 'utf8').replaceAll('main.js', 'gone.js'));
    const before = await doctor(workstation);
    expect(before.code).toBe(1);
    expect(states(before)).toMatchObject({
      config: 'failed',
      trust: 'failed',
      'client cursor': 'failed',
      'mcp server': 'ok',
    });
    expect(before.checks[0]).toMatchObject({ next: 'Or: agentrelay doctor --fix' });
    const after = await doctor(workstation, ['--fix']);
    expect(states(after)).toMatchObject({ config: 'ok', relay: 'ok', trust: 'failed', 'client cursor': 'ok' });
    expect(after.mended).toEqual([`${config} is readable by you only`, 'Cursor starts this program']);
    expect(statSync(config).mode & 0o777).toBe(0o600);
    expect(readFileSync(trust, 'utf8')).toBe('version: [');
    await workstation.json(['install', '--uninstall']);
  });

  it('--fix mends each client by itself, writes no rules that were not wanted, and leaves alone what does not parse', async () => {
    const workstation = Workstation.of(await relay.agent('frank@acme')).withClients('.claude', '.codex', '.cursor');
    await workstation.json(['install', '--no-rules']);
    const [claude, cursor] = [workstation.path('.claude.json'), workstation.path('.cursor/mcp.json')];
    for (const path of [claude, cursor])
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll('main.js', 'gone.js'));
    chmodSync(claude, 0o444);
    const codex = workstation.path('.codex/config.toml');
    writeFileSync(codex, '[broken\n');
    const diagnosis = await doctor(workstation, ['--fix']);
    expect(diagnosis).toMatchObject({ code: 1, ok: false, mended: ['Cursor starts this program'] });
    expect(states(diagnosis)).toEqual({
      'mend claude-code': 'failed',
      config: 'ok',
      relay: 'ok',
      key: 'ok',
      clock: 'ok',
      trust: 'ok',
      'client claude-code': 'failed',
      'rules claude-code': 'warning',
      'client codex': 'failed',
      'client cursor': 'ok',
      'rules cursor': 'warning',
      'mcp server': 'ok',
    });
    expect(diagnosis.checks[0]?.message).toContain(`chmod u+w ${claude}`);
    expect(readFileSync(codex, 'utf8')).toBe('[broken\n');
    expect(existsSync(workstation.path('.cursor/cli-config.json'))).toBe(false);
    expect(existsSync(workstation.path('.claude/settings.json'))).toBe(false);
  });
  describe('says what a client would do', () => {
    /** A workstation with one client connected, and its folder `project` as the place where doctor runs. */
    async function connected(client: string, ...options: string[]): Promise<Workstation> {
      const workstation = Workstation.of(await relay.agent('frank@acme')).withClients('project');
      await workstation.json(['install', '--client', client, ...options]);
      return workstation;
    }

    function change(workstation: Workstation, path: string, from: string, to: string): void {
      const text = readFileSync(workstation.path(path), 'utf8');
      expect(text).toContain(from);
      writeFileSync(workstation.path(path), text.replace(from, to));
    }

    function messagesOf({ checks }: Diagnosis, name: string): string {
      return checks
        .filter(({ check }) => check === name)
        .map(({ state, message, next = '' }) => `${state}: ${message} ${next}`)
        .join('\n');
    }

    it.each([
      ['codex', '.codex/config.toml', 'command =', 'enabled = false\ncommand =', 'enabled = false'],
      ['cursor', '.cursor/mcp.json', '"command"', '"disabled": true,\n"command"', '"disabled": true'],
      ['claude-code', '.claude.json', process.execPath, '/bin/true', 'does not answer as an MCP server'],
      ['gemini', '.gemini/settings.json', process.execPath, 'no-such-program', 'no-such-program is not on PATH'],
      [
        'gemini',
        '.gemini/settings.json',
        '"mcpServers"',
        '"mcp": {"excluded": ["agentrelay"]}, "mcpServers"',
        'excluded',
      ],
      ['gemini', '.gemini/settings.json', '"env": {}', '"env": {},', 'no trailing commas'],
      ['claude-code', '.claude.json', '{', '// mine\n{', 'line 1: Claude Code takes no comments'],
      ['claude-code', '.claude/settings.json', '{', '{ // mine\n', 'nothing in that file is in effect'],
      ['claude-code', '.claude.json', '"env": {}', '"env": {"AGENTRELAY_HOME": "/not/there"}', 'no connection'],
    ])('when %s has in %s for %j: %j', async (client, path, from, to, said) => {
      const workstation = await connected(client);
      change(workstation, path, from, to);
      const diagnosis = await doctor(workstation);
      expect(diagnosis.code).toBe(1);
      expect(messagesOf(diagnosis, `client ${client}`)).toContain('failed: ');
      expect(messagesOf(diagnosis, `client ${client}`)).toContain(said);
    });

    it('when an entry names the folder of another agent, which works but is another one', async () => {
      const workstation = await connected('claude-code');
      const bob = Workstation.of(await relay.agent('bob@acme'));
      change(workstation, '.claude.json', '"env": {}', `"env": {"AGENTRELAY_HOME": ${JSON.stringify(bob.home)}}`);
      const diagnosis = await doctor(workstation);
      expect(diagnosis.code).toBe(0);
      expect(messagesOf(diagnosis, 'client claude-code')).toContain('warning: works as bob@acme');
    });

    /** What Claude Code's state says of one folder, besides our entry for all of them. */
    function sayOfFolder(workstation: Workstation, folder: string, said: object): void {
      const path = workstation.path('.claude.json');
      const state = JSON.parse(readFileSync(path, 'utf8')) as object;
      writeFileSync(path, JSON.stringify({ ...state, projects: { [folder]: said } }));
    }

    const entry = { type: 'stdio', command: process.execPath, args: [PROGRAM, 'mcp'], env: {} };

    it('when a broken entry of one project goes first in Claude Code', async () => {
      const workstation = await connected('claude-code');
      const broken = { ...entry, args: ['/x/main.js'] };
      sayOfFolder(workstation, '/home/me/proj', { mcpServers: { agentrelay: broken } });
      const diagnosis = await doctor(workstation);
      expect(diagnosis.code).toBe(1);
      expect(messagesOf(diagnosis, 'client claude-code')).toContain(
        'failed: the entry agentrelay of the project /home/me/proj goes first: /x/main.js is not there',
      );
    });

    it.each([
      ['here', 1],
      ['elsewhere', 0],
    ])('when another working entry of a project goes first in Claude Code, %s', async (place, code) => {
      const workstation = await connected('claude-code');
      const project = place === 'here' ? workstation.userHome : '/home/me/proj';
      sayOfFolder(workstation, project, { mcpServers: { agentrelay: entry } });
      const diagnosis = await doctor(workstation);
      expect(diagnosis.code).toBe(code);
      expect(messagesOf(diagnosis, 'client claude-code')).toContain(`of the project ${project} goes first`);
    });

    it('when Claude Code has it disabled in this folder', async () => {
      const workstation = await connected('claude-code');
      sayOfFolder(workstation, workstation.userHome, { disabledMcpServers: ['agentrelay'] });
      expect(messagesOf(await doctor(workstation), 'client claude-code')).toContain(
        'failed: agentrelay is disabled in',
      );
    });

    it('when a trusted project lays its table over ours in Codex, and not when Codex does not trust it', async () => {
      const workstation = await connected('codex');
      const project = workstation.path('project');
      mkdirSync(join(project, '.codex'));
      writeFileSync(join(project, '.codex/config.toml'), '[mcp_servers.agentrelay]\ncommand = "/bin/false"\n');
      workstation.folder = project;
      const untrusted = await doctor(workstation);
      expect(untrusted.code).toBe(0);
      expect(messagesOf(untrusted, 'client codex')).toContain('warning: the entry agentrelay of');
      const config = workstation.path('.codex/config.toml');
      writeFileSync(config, `${readFileSync(config, 'utf8')}\n[projects."${project}"]\ntrust_level = "trusted"\n`);
      const trusted = await doctor(workstation);
      expect(trusted.code).toBe(1);
      expect(messagesOf(trusted, 'client codex')).toContain('failed: the entry agentrelay of');
    });

    it('when it has none of our rules, or those of an earlier version', async () => {
      const workstation = await connected('claude-code', '--no-rules');
      const without = await doctor(workstation);
      expect(without.code).toBe(0);
      expect(messagesOf(without, 'rules claude-code')).toContain('warning: are not in');
      await workstation.json(['install', '--client', 'claude-code']);
      expect(messagesOf(await doctor(workstation), 'rules claude-code')).toContain('ok: are in');
      change(workstation, '.claude/settings.json', '"permissions": {', '"permissions": { "ask": ["Edit"],');
      const settings = join(workstation.home, 'settings.json');
      const kept = JSON.parse(readFileSync(settings, 'utf8')) as { installed: Record<string, { added: string[][] }[]> };
      kept.installed['claude-code']?.[1]?.added.push(['permissions', 'ask', 'Edit']);
      writeFileSync(settings, JSON.stringify(kept));
      expect(messagesOf(await doctor(workstation), 'rules claude-code')).toContain('warning: an earlier version');
    });

    const transport = { type: 'stdio', command: process.execPath, args: [PROGRAM, 'mcp'] };
    const known = { name: 'agentrelay', enabled: true, disabled_reason: null, transport };

    it.each([
      [JSON.stringify(known), 0, /^ok: /],
      [
        JSON.stringify({ ...known, enabled: false, disabled_reason: 'requirements' }),
        0,
        /failed: Codex says: requirements/,
      ],
      [JSON.stringify({ ...known, transport: { ...transport, command: '/bin/cat' } }), 0, /Codex starts \/bin\/cat/],
      ['{}', 1, /knows no server/],
      ['something else', 0, /did not say/],
    ])('by the word of its own program, where that is on PATH: %s, exit code %d', async (answer, exit, said) => {
      const workstation = await connected('codex');
      mkdirSync(workstation.path('bin'));
      const program = `#!/bin/sh\ncat <<'END'\n${answer}\nEND\nexit ${exit}\n`;
      writeFileSync(workstation.path('bin/codex'), program, { mode: 0o755 });
      const diagnosis = await doctor(workstation, [], { PATH: `${workstation.path('bin')}:/usr/bin:/bin` });
      expect(messagesOf(diagnosis, 'client codex')).toMatch(said);
      expect(diagnosis.code).toBe(messagesOf(diagnosis, 'client codex').includes('failed: ') ? 1 : 0);
    });
  });
});

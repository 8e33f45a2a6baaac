import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parse } from 'smol-toml';
import { eventually } from '@agentrelay/testing';
import { PROGRAM, Workstation } from './agentrelay';

const SECRET = 'sk-of-the-user-that-nobody-shows';

interface Installed {
  dry_run: boolean;
  clients: { client: string; changed: boolean; files: { path: string; diff: string[]; backup?: string }[] }[];
}

function read(workstation: Workstation, ...path: string[]): string {
  return readFileSync(workstation.path(...path), 'utf8');
}

function readJson(workstation: Workstation, ...path: string[]): Record<string, unknown> {
  return JSON.parse(read(workstation, ...path)) as Record<string, unknown>;
}

function write(workstation: Workstation, path: string, content: string): void {
  mkdirSync(dirname(workstation.path(path)), { recursive: true });
  writeFileSync(workstation.path(path), content);
}

/** Everything below a folder, with its content. */
function snapshot(workstation: Workstation): Record<string, string> {
  const names = readdirSync(workstation.userHome, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => statSync(workstation.path(name)).isFile());
  return Object.fromEntries(files.map((name) => [name, read(workstation, name)]));
}

describe('install', () => {
  it('connects all clients in an empty home, each with an absolute command and no secret', async () => {
    const workstation = new Workstation();
    const { code, stdout } = await workstation.run(['install', '--client', 'all']);
    expect(code).toBe(0);
    expect(stdout).toContain('agentrelay doctor');
    const entry = { command: process.execPath, args: [PROGRAM, 'mcp'], env: {} };
    expect(readJson(workstation, '.claude.json')).toEqual({ mcpServers: { agentrelay: { type: 'stdio', ...entry } } });
    expect(readJson(workstation, '.cursor/mcp.json')).toEqual({ mcpServers: { agentrelay: entry } });
    const { permissions } = readJson(workstation, '.claude/settings.json') as { permissions: Record<string, string[]> };
    const reading = ['check_inbox', 'view_thread', 'list_teammates', 'wait_for_updates'];
    expect(permissions['allow']).toEqual(reading.map((tool) => `mcp__agentrelay__${tool}`));
    expect(permissions['ask']).toBeUndefined();
    expect(permissions['deny']).toEqual(
      expect.arrayContaining(['Bash(git push *)', 'Read(~/.agentrelay/**)', 'Edit(~/.agentrelay/**)']),
    );
    const started = `command = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(PROGRAM)}, "mcp"]\n`;
    expect(read(workstation, '.codex/config.toml')).toBe(`[mcp_servers.agentrelay]\n${started}`);
    const forbidden = read(workstation, '.codex/rules/agentrelay.rules');
    expect(forbidden).toContain('prefix_rule(pattern=["git", "push"], decision="forbidden")');
    expect(forbidden).not.toContain('"allow"');
    expect(readJson(workstation, '.gemini/settings.json')).toEqual({ mcpServers: { agentrelay: entry } });
    expect(read(workstation, '.gemini/policies/agentrelay.toml')).toContain(
      'mcpName = "agentrelay"\ntoolName = ["check_inbox", "view_thread", "list_teammates", "wait_for_updates"]\ndecision = "allow"',
    );
    expect(readJson(workstation, '.copilot/mcp-config.json')).toEqual({
      mcpServers: { agentrelay: { type: 'local', ...entry, tools: ['*'] } },
    });
    const { permissions: cursor } = readJson(workstation, '.cursor/cli-config.json') as {
      permissions: Record<string, string[]>;
    };
    expect(cursor['allow']).toContain('Mcp(agentrelay:check_inbox)');
    expect(cursor['deny']).toContain('Shell(curl)');
    for (const content of Object.values(snapshot(workstation)))
      expect(content).not.toMatch(/npx|api_key|ar_(live|test)_/);
  });

  it('carries AGENTRELAY_HOME, a folder, into the entry, and no other variable', async () => {
    const workstation = new Workstation().withClients('.claude');
    const environment = {
      AGENTRELAY_HOME: workstation.path('elsewhere'),
      AGENTRELAY_API_KEY: SECRET,
      AGENTRELAY_URL: 'http://127.0.0.1:9',
    };
    expect((await workstation.run(['install'], environment)).code).toBe(0);
    expect(readJson(workstation, '.claude.json')).toMatchObject({
      mcpServers: { agentrelay: { env: { AGENTRELAY_HOME: workstation.path('elsewhere') } } },
    });
    expect(read(workstation, '.claude/settings.json')).toContain('Read(~/elsewhere/**)');
    expect(JSON.stringify(snapshot(workstation))).not.toContain(SECRET);
  });

  it('connects the clients that are here when none is named, and says so when there is none', async () => {
    const workstation = new Workstation();
    const none = await workstation.run(['install']);
    expect(none.code).toBe(1);
    expect(none.stderr).toContain('--client');
    workstation.withClients('.codex');
    const { clients } = await workstation.json<Installed>(['install']);
    expect(clients.map(({ client, changed }) => [client, changed])).toEqual([['codex', true]]);
  });

  it('with --dry-run shows the same diff and writes nothing', async () => {
    const workstation = new Workstation();
    write(workstation, '.cursor/mcp.json', '{\n  // mine\n  "mcpServers": {}\n}\n');
    const before = snapshot(workstation);
    const dry = await workstation.json<Installed>(['install', '--dry-run']);
    expect(snapshot(workstation)).toEqual(before);
    const real = await workstation.json<Installed>(['install']);
    expect(real.clients.map(({ files }) => files.map(({ diff }) => diff))).toEqual(
      dry.clients.map(({ files }) => files.map(({ diff }) => diff)),
    );
    const { diff, backup } = real.clients[0]?.files[0] ?? { diff: [] };
    expect(diff).toContain('+    "agentrelay": {');
    expect(readFileSync(backup ?? '', 'utf8')).toBe(before['.cursor/mcp.json']);
    expect(read(workstation, '.cursor/mcp.json')).toContain('// mine');
  });

  it('shows no secret of the user’s in a diff, whatever line it stands on', async () => {
    const workstation = new Workstation();
    write(workstation, '.claude.json', `{"mcpServers":{"x":{"command":"x","env":{"KEY":"${SECRET}"}}}}`);
    write(workstation, '.claude/settings.json', `{\n  "env": { "TOKEN": "${SECRET}" }}`);
    write(workstation, '.codex/config.toml', `key = "${SECRET}"\n[mcp_servers.agentrelay]\ncommand = '${SECRET}'`);
    const { code, stdout } = await workstation.run(['install', '--client', 'all', '--force']);
    expect(code).toBe(0);
    expect(stdout).toContain('agentrelay');
    expect(stdout).not.toContain(SECRET);
    const uninstalled = await workstation.run(['install', '--uninstall', '--client', 'all']);
    expect(uninstalled.stdout).not.toContain(SECRET);
  });

  it('shows no secret that the user put into its entry, when it is moved, tried out to be removed, and removed', async () => {
    const workstation = new Workstation();
    await workstation.json(['install', '--client', 'all', '--no-rules']);
    for (const path of ['.claude.json', '.cursor/mcp.json']) {
      const content = read(workstation, path).replace(
        '"env": {}',
        `"env": {"TOKEN": "${SECRET}"}, "also": "${SECRET}"`,
      );
      write(workstation, path, content.replaceAll('main.js', 'gone.js'));
    }
    const codex = read(workstation, '.codex/config.toml').replaceAll('main.js', 'gone.js');
    const [single, double] = ["'''", '"""'];
    const theirs = `# don't tell ${SECRET}\nONE = ${double}\n${SECRET}${double}\nTWO = ${single}\n${SECRET}${single}\n`;
    write(workstation, '.codex/config.toml', `${codex}[mcp_servers.agentrelay.env]\n${theirs}THREE = '${SECRET}'\n`);
    for (const args of [[], ['--uninstall', '--dry-run'], ['--uninstall', '--dry-run', '--json'], ['--uninstall']]) {
      expect(JSON.stringify(snapshot(workstation))).toContain(SECRET);
      const { code, stdout, stderr } = await workstation.run(['install', '--client', 'all', '--no-rules', ...args]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(PROGRAM);
      expect(stdout).not.toContain(SECRET);
    }
  });

  it('keeps a rule where the user put it, although it is recommended elsewhere', async () => {
    const workstation = new Workstation();
    const mine = { permissions: { allow: ['Bash(git push *)', 'Bash(mine)'], deny: ['Edit'] } };
    write(workstation, '.claude/settings.json', JSON.stringify(mine));
    await workstation.json(['install', '--client', 'claude-code']);
    const { permissions } = readJson(workstation, '.claude/settings.json') as { permissions: Record<string, string[]> };
    expect(permissions['allow']?.slice(0, 2)).toEqual(mine.permissions.allow);
    expect(permissions['deny']).not.toContain('Bash(git push *)');
    expect(permissions['deny']).toContain('Edit');
    expect(permissions['deny']).toContain('Bash(npm publish *)');
  });

  it.each([
    ['.claude.json', '{\n  "a": 1,\n  b\n}', 'line 3, column 3'],
    ['.claude/settings.json', '{"permissions": {"allow": "all"}}', 'permissions.allow is not an array'],
    ['.cursor/mcp.json', '[]', 'is not an object'],
    ['.codex/config.toml', 'model = "x"\n[broken\n', 'line 2'],
    ['.codex/config.toml', 'mcp_servers = { x = { command = "x" } }\n', 'on one line'],
    ['.claude.json', '{"mcpServers": {}, "mcpServers": {}}', 'twice'],
    ['.claude.json', '{"mcpServers": {"agentrelay": {"command": "other"}}}', '--force'],
    ['.codex/config.toml', '[mcp_servers.agentrelay]\ncommand = "other"\n', '--force'],
  ])('refuses %s with %j, and changes no file of any client', async (path, content, reason) => {
    const workstation = new Workstation();
    write(workstation, path, content);
    const before = snapshot(workstation);
    const { code, stdout, stderr } = await workstation.run(['install', '--client', 'all']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(workstation.path(path));
    expect(stderr).toContain(reason);
    expect(snapshot(workstation)).toEqual(before);
  });

  it('refuses bytes that are no text, and a read-only file, and says how to go on', async () => {
    const workstation = new Workstation();
    write(workstation, '.cursor/mcp.json', '{}');
    writeFileSync(workstation.path('.cursor/mcp.json'), Buffer.from([0x7b, 0xff, 0x7d]));
    expect((await workstation.run(['install'])).stderr).toContain('not UTF-8');
    writeFileSync(workstation.path('.cursor/mcp.json'), '{}');
    chmodSync(workstation.path('.cursor/mcp.json'), 0o444);
    const { code, stderr } = await workstation.run(['install']);
    expect(code).toBe(1);
    expect(stderr).toContain(`chmod u+w ${workstation.path('.cursor/mcp.json')}`);
    expect(read(workstation, '.cursor/mcp.json')).toBe('{}');
  });

  it('keeps the mode of a file, and writes through a symbolic link instead of over it', async () => {
    const workstation = new Workstation();
    write(workstation, 'dotfiles/settings.json', '{}');
    chmodSync(workstation.path('dotfiles/settings.json'), 0o640);
    mkdirSync(workstation.path('.claude'));
    symlinkSync(workstation.path('dotfiles/settings.json'), workstation.path('.claude/settings.json'));
    await workstation.json(['install']);
    expect(lstatSync(workstation.path('.claude/settings.json')).isSymbolicLink()).toBe(true);
    expect(read(workstation, 'dotfiles/settings.json')).toContain('mcp__agentrelay__check_inbox');
    expect(statSync(workstation.path('dotfiles/settings.json')).mode & 0o777).toBe(0o640);
  });

  it('moves its own entry along when the program moved, and still uninstalls to the first bytes', async () => {
    const workstation = new Workstation();
    const before = '{ "mcpServers": { "mine": { "command": "m" } } /* odd */ }';
    write(workstation, '.cursor/mcp.json', before);
    await workstation.json(['install', '--no-rules'], { AGENTRELAY_HOME: workstation.home });
    const moved = workstation.path('moved.js');
    symlinkSync(PROGRAM, moved);
    const child = spawn(process.execPath, [moved, 'install', '--no-rules'], { env: { HOME: workstation.userHome } });
    await once(child, 'close');
    expect(read(workstation, '.cursor/mcp.json')).toContain(moved);
    expect(read(workstation, '.cursor/mcp.json').match(/"agentrelay"/g)).toHaveLength(1);
    await workstation.json(['install', '--uninstall']);
    expect(read(workstation, '.cursor/mcp.json')).toBe(before);
  });

  it('keeps what the user added to its entry, when nothing else is new and when the program moved', async () => {
    const workstation = new Workstation();
    const names = ['--client', 'all', '--no-rules'];
    await workstation.json(['install', ...names], { AGENTRELAY_HOME: workstation.path('elsewhere') });
    for (const path of ['.claude.json', '.cursor/mcp.json']) {
      const { mcpServers } = readJson(workstation, path) as { mcpServers: { agentrelay: { env: object } } };
      const { agentrelay: entry } = mcpServers;
      const mine = { ...entry, timeout: 60_000, env: { ...entry.env, HTTPS_PROXY: SECRET } };
      write(workstation, path, JSON.stringify({ mcpServers: { agentrelay: mine } }));
    }
    const codex = read(workstation, '.codex/config.toml');
    const mine = codex
      .replace('\nargs', '\nstartup_timeout_sec = 20\nargs')
      .replace('.env]', ".env]\nHTTPS_PROXY = 'p'");
    write(workstation, '.codex/config.toml', mine);
    const before = snapshot(workstation);
    const again = await workstation.json<Installed>(['install', ...names], {
      AGENTRELAY_HOME: workstation.path('elsewhere'),
    });
    expect(again.clients.map(({ changed }) => changed)).toEqual([false, false, false, false, false]);
    expect(snapshot(workstation)).toEqual(before);
    const moved = workstation.path('moved.js');
    symlinkSync(PROGRAM, moved);
    const env = { HOME: workstation.userHome, AGENTRELAY_HOME: workstation.path('elsewhere') };
    await once(spawn(process.execPath, [moved, 'install', ...names], { env, stdio: 'ignore' }), 'close');
    const variables = { AGENTRELAY_HOME: workstation.path('elsewhere'), HTTPS_PROXY: SECRET };
    for (const path of ['.claude.json', '.cursor/mcp.json']) {
      expect(readJson(workstation, path)).toMatchObject({
        mcpServers: { agentrelay: { args: [moved, 'mcp'], timeout: 60_000, env: variables } },
      });
    }
    const toml = read(workstation, '.codex/config.toml');
    expect(parse(toml)).toMatchObject({
      mcp_servers: {
        agentrelay: { args: [moved, 'mcp'], startup_timeout_sec: 20, env: { ...variables, HTTPS_PROXY: 'p' } },
      },
    });
    expect(read(workstation, 'elsewhere/settings.json')).not.toContain(SECRET);
  });

  it('leaves its own variable out when AgentRelay’s files are back where they always are', async () => {
    const workstation = new Workstation();
    await workstation.json(['install', '--client', 'all', '--no-rules'], {
      AGENTRELAY_HOME: workstation.path('elsewhere'),
    });
    await workstation.json(['install', '--client', 'all', '--no-rules', '--force']);
    for (const path of ['.claude.json', '.cursor/mcp.json', '.codex/config.toml'])
      expect(read(workstation, path)).not.toContain('AGENTRELAY_HOME');
  });

  it('keeps comments that stand behind its last table in front of the next one', async () => {
    const workstation = new Workstation();
    await workstation.json(['install', '--client', 'codex']);
    const theirs = '# about docs\n\n# and more\n[mcp_servers.docs]\ncommand = "d"\n';
    write(workstation, '.codex/config.toml', `${read(workstation, '.codex/config.toml')}\n${theirs}`);
    const moved = workstation.path('moved.js');
    symlinkSync(PROGRAM, moved);
    const env = { HOME: workstation.userHome };
    await once(spawn(process.execPath, [moved, 'install'], { env, stdio: 'ignore' }), 'close');
    expect(read(workstation, '.codex/config.toml')).toContain(theirs);
    expect(read(workstation, '.codex/config.toml')).toContain(moved);
    await workstation.json(['install', '--uninstall']);
    expect(read(workstation, '.codex/config.toml').trim()).toBe(theirs.trim());
  });

  it('uninstalls what it added from files that went on living, and leaves what was there before', async () => {
    const workstation = new Workstation();
    write(workstation, '.claude/settings.json', '{"permissions": {"ask": ["Write"]}}');
    await workstation.json(['install']);
    const state = readJson(workstation, '.claude.json');
    write(workstation, '.claude.json', JSON.stringify({ ...state, numStartups: 7 }));
    const { permissions, ...others } = readJson(workstation, '.claude/settings.json') as {
      permissions: { allow: string[] };
    };
    write(
      workstation,
      '.claude/settings.json',
      JSON.stringify({ ...others, permissions: { ...permissions, allow: [...permissions.allow, 'Bash(later)'] } }),
    );
    await workstation.json(['install', '--uninstall']);
    expect(readJson(workstation, '.claude.json')).toEqual({ numStartups: 7 });
    expect(readJson(workstation, '.claude/settings.json')).toEqual({
      permissions: { ask: ['Write'], allow: ['Bash(later)'] },
    });
    expect(existsSync(workstation.path('.agentrelay'))).toBe(false);
    expect(await workstation.json<Installed>(['install', '--uninstall'])).toMatchObject({
      clients: [{ changed: false }],
    });
  });

  it('without its record takes out only what is plainly its own', async () => {
    const workstation = new Workstation();
    await workstation.json(['install', '--client', 'claude-code']);
    write(workstation, '.agentrelay/settings.json', '{}');
    await workstation.json(['install', '--uninstall', '--client', 'claude-code']);
    expect(read(workstation, '.claude.json')).not.toContain('agentrelay');
    const { permissions } = readJson(workstation, '.claude/settings.json') as { permissions: Record<string, string[]> };
    expect(JSON.stringify(permissions)).not.toContain('agentrelay');
    expect(permissions['deny']).toContain('Bash(git push *)');
  });

  it.each([
    ['claude-code', 'CLAUDE_CONFIG_DIR', 'cc', ['cc/.claude.json', 'cc/settings.json']],
    ['codex', 'CODEX_HOME', 'cx', ['cx/config.toml', 'cx/rules/agentrelay.rules']],
    ['cursor', 'CURSOR_CONFIG_DIR', 'cu', ['.cursor/mcp.json', 'cu/cli-config.json']],
    ['cursor', 'XDG_CONFIG_HOME', 'xdg', ['.cursor/mcp.json', 'xdg/cursor/cli-config.json']],
    ['gemini', 'GEMINI_CLI_HOME', 'gm', ['gm/.gemini/policies/agentrelay.toml', 'gm/.gemini/settings.json']],
    ['copilot', 'COPILOT_HOME', 'cp', ['cp/mcp-config.json']],
  ])('writes for %s where %s says, and takes it out again there', async (client, variable, folder, files) => {
    const workstation = new Workstation();
    const environment = { [variable]: workstation.path(folder) };
    await workstation.json(['install', '--client', client], environment);
    expect(Object.keys(snapshot(workstation)).filter((path) => !path.startsWith('.agentrelay/'))).toEqual(files);
    expect((await workstation.run(['install', '--client', client, '--uninstall'], environment)).code).toBe(0);
    expect(readdirSync(workstation.userHome)).toEqual([]);
  });

  it('finds the clients that are here by the folders that their variables name', async () => {
    const workstation = new Workstation().withClients('cc');
    const { clients } = await workstation.json<Installed>(['install'], { CLAUDE_CONFIG_DIR: workstation.path('cc') });
    expect(clients.map(({ client }) => client)).toEqual(['claude-code']);
  });

  it('and uninstall leave an empty home empty: no folder, no backup, nothing that the next install takes for a client', async () => {
    const workstation = new Workstation();
    await workstation.json(['install', '--client', 'all']);
    await workstation.json(['install', '--uninstall', '--client', 'all']);
    expect(readdirSync(workstation.userHome)).toEqual([]);
    expect((await workstation.run(['install'])).code).toBe(1);
    expect(readdirSync(workstation.userHome)).toEqual([]);
  });

  it('and uninstall leave what was there, folders included, and no backup', async () => {
    const workstation = new Workstation().withClients('.codex/rules', '.cursor', '.agentrelay');
    write(workstation, '.claude/settings.json', '{"permissions": {"allow": ["Bash(ls)"]}}');
    write(workstation, '.agentrelay/settings.json', '{}\n');
    const before = readdirSync(workstation.userHome, { recursive: true }).sort();
    const files = snapshot(workstation);
    await workstation.json(['install', '--client', 'all']);
    const backup = read(workstation, '.claude/settings.json.agentrelay-backup');
    expect(backup).toBe(files['.claude/settings.json']);
    await workstation.json(['install', '--uninstall', '--client', 'all']);
    expect(readdirSync(workstation.userHome, { recursive: true }).sort()).toEqual(before);
    expect(snapshot(workstation)).toEqual(files);
  });

  it('keeps a backup without its own entry, also when it moves its entry along', async () => {
    const workstation = new Workstation();
    write(workstation, '.cursor/mcp.json', '{ "mine": true }');
    await workstation.json(['install', '--client', 'cursor'], { AGENTRELAY_HOME: workstation.home });
    const moved = workstation.path('moved.js');
    symlinkSync(PROGRAM, moved);
    const env = { HOME: workstation.userHome };
    await once(spawn(process.execPath, [moved, 'install'], { env, stdio: 'ignore' }), 'close');
    expect(read(workstation, '.cursor/mcp.json')).toContain(moved);
    expect(read(workstation, '.cursor/mcp.json.agentrelay-backup')).toBe('{ "mine": true }');
  });

  it('follows links to the end, whether or not something is there, and leaves them links', async () => {
    const workstation = new Workstation().withClients('dot', '.claude', '.codex', '.agentrelay');
    const links = {
      '.claude/settings.json': '../dot/settings.json',
      '.codex/config.toml': '../dot/mid.toml',
      'dot/mid.toml': 'codex.toml',
      '.agentrelay/settings.json': '../dot/a.json',
      'dot/a.json': 'later/b.json',
      '.gemini': 'dot/gemini',
    };
    for (const [path, to] of Object.entries(links)) symlinkSync(to, workstation.path(path));
    await workstation.json(['install', '--client', 'claude-code', 'codex', 'gemini']);
    for (const path of Object.keys(links)) expect(lstatSync(workstation.path(path)).isSymbolicLink()).toBe(true);
    expect(read(workstation, 'dot/settings.json')).toContain('mcp__agentrelay__check_inbox');
    expect(read(workstation, 'dot/codex.toml')).toContain('[mcp_servers.agentrelay]');
    expect(read(workstation, 'dot/gemini/settings.json')).toContain('agentrelay');
    expect(readJson(workstation, 'dot/later/b.json')).toHaveProperty('installed');
    await workstation.json(['install', '--uninstall', '--client', 'claude-code', 'codex', 'gemini']);
    for (const path of Object.keys(links)) expect(lstatSync(workstation.path(path)).isSymbolicLink()).toBe(true);
    expect(readdirSync(workstation.path('dot')).sort()).toEqual(['a.json', 'mid.toml']);
  });

  it('says what was done when a later file cannot be written, and a second run finishes', async () => {
    const workstation = new Workstation().withClients('.codex/rules');
    const rules = workstation.path('.codex/rules/agentrelay.rules');
    // Nobody, not even root, makes files there.
    symlinkSync('/proc/self/agentrelay.rules', rules);
    const { code, stdout, stderr } = await workstation.run(['install', '--client', 'claude-code', 'codex']);
    expect(code).toBe(1);
    expect(stderr).toContain(rules);
    for (const path of ['.claude.json', '.claude/settings.json', '.codex/config.toml'])
      expect(stdout).toContain(`Written: ${workstation.path(path)}`);
    expect(stdout).not.toContain(`Written: ${rules}`);
    rmSync(rules);
    const again = await workstation.json<Installed>(['install', '--client', 'claude-code', 'codex']);
    expect(again.clients.map(({ changed }) => changed)).toEqual([false, true]);
    await workstation.json(['install', '--uninstall', '--client', 'claude-code', 'codex']);
    expect(readdirSync(workstation.userHome)).toEqual(['.codex']);
  });

  it('loses no record when several run at the same time, and takes a lock over that was left behind', async () => {
    const workstation = new Workstation().withClients('.agentrelay');
    const ended = spawn(process.execPath, ['-e', '']);
    await once(ended, 'close');
    write(workstation, '.agentrelay/install.lock', String(ended.pid));
    const clients = ['claude-code', 'codex', 'cursor', 'gemini', 'copilot'];
    const ran = await Promise.all(clients.map((client) => workstation.run(['install', '--client', client])));
    expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual(clients.map(() => [0, '']));
    const { installed } = readJson(workstation, '.agentrelay/settings.json') as { installed: object };
    expect(Object.keys(installed)).toEqual(clients);
    await workstation.json(['install', '--uninstall', '--client', 'all']);
    expect(readdirSync(workstation.userHome, { recursive: true })).toEqual(['.agentrelay']);
  });

  it('with --no-rules takes out rules that are in, and leaves the entry and the user’s rules', async () => {
    const workstation = new Workstation();
    write(workstation, '.claude/settings.json', '{"permissions": {"allow": ["Bash(ls)"]}}');
    await workstation.json(['install', '--client', 'all']);
    await workstation.json(['install', '--client', 'all', '--no-rules']);
    expect(read(workstation, '.claude/settings.json')).toBe('{"permissions": {"allow": ["Bash(ls)"]}}');
    for (const path of ['.codex/rules', '.cursor/cli-config.json', '.gemini/policies'])
      expect([path, existsSync(workstation.path(path))]).toEqual([path, false]);
    for (const path of ['.claude.json', '.codex/config.toml', '.cursor/mcp.json', '.gemini/settings.json'])
      expect(read(workstation, path)).toContain(PROGRAM);
  });

  it('takes out the rules that an earlier version wrote, and only those', async () => {
    const workstation = new Workstation();
    const [own, reading] = ['mcp__agentrelay__send_message', 'mcp__agentrelay__check_inbox'];
    const allow = ['Read(./**)', 'Bash(npm test *)', reading];
    const permissions = { allow: ['Bash(ls)', ...allow], ask: ['Edit', 'Write', own, 'Bash(rm *)'] };
    write(workstation, '.claude/settings.json', JSON.stringify({ permissions }));
    const entry = { type: 'stdio', command: process.execPath, args: [PROGRAM, 'mcp'], env: {} };
    write(workstation, '.claude.json', JSON.stringify({ mcpServers: { agentrelay: entry } }));
    const table = `[mcp_servers.agentrelay]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ["${PROGRAM}", "mcp"]\n`;
    const tools = ['check_inbox', 'view_thread', 'list_teammates', 'wait_for_updates'].map(
      (tool) => `\n[mcp_servers.agentrelay.tools.${tool}]\napproval_mode = "approve"\n`,
    );
    const mine = '\n[mcp_servers.agentrelay.tools.send_message]\napproval_mode = "approve"\n';
    const retired = `default_tools_approval_mode = "prompt"\n${tools.join('')}`;
    write(workstation, '.codex/config.toml', `model = "m"\n\n${table}${retired}${mine}`);
    const added = [
      ...allow.map((rule) => ['permissions', 'allow', rule]),
      ['permissions', 'ask'],
      ...['Edit', 'Write', own].map((rule) => ['permissions', 'ask', rule]),
    ];
    const record = (path: string, names: string[][]): object => {
      return { path: workstation.path(path), sha256: '', created: false, insertions: [], added: names };
    };
    const installed = {
      'claude-code': [record('.claude.json', [['mcpServers', 'agentrelay']]), record('.claude/settings.json', added)],
      codex: [record('.codex/config.toml', [['mcp_servers', 'agentrelay']])],
    };
    write(workstation, '.agentrelay/settings.json', JSON.stringify({ installed }));
    await workstation.json(['install', '--client', 'claude-code', 'codex']);
    const { permissions: after } = readJson(workstation, '.claude/settings.json') as {
      permissions: Record<string, string[]>;
    };
    expect(after['ask']).toEqual(['Bash(rm *)']);
    expect(after['allow']?.slice(0, 2)).toEqual(['Bash(ls)', reading]);
    expect(after['allow']).not.toContain('Read(./**)');
    expect(parse(read(workstation, '.codex/config.toml'))).toEqual({
      model: 'm',
      mcp_servers: {
        agentrelay: {
          command: process.execPath,
          args: [PROGRAM, 'mcp'],
          tools: { send_message: { approval_mode: 'approve' } },
        },
      },
    });
    const again = await workstation.json<Installed>(['install', '--client', 'claude-code', 'codex']);
    expect(again.clients.map(({ changed }) => changed)).toEqual([false, false]);
  });

  it('killed at any moment leaves every file whole, and a second run finishes', async () => {
    const workstation = new Workstation();
    const padding = JSON.stringify({ padding: 'x'.repeat(2_000_000) });
    write(workstation, '.claude.json', padding);
    let isDone = false;
    for (let round = 0; round < 12 && !isDone; round++) {
      const child = spawn(process.execPath, [PROGRAM, 'install'], {
        env: { HOME: workstation.userHome },
        stdio: 'ignore',
      });
      workstation.withClients('.claude');
      const closed = once(child, 'close');
      // Each round lets it get a little further.
      const steps = [
        () => true,
        () => existsSync(workstation.path('.agentrelay/settings.json')),
        () => existsSync(workstation.path('.claude.json.agentrelay-backup')),
      ];
      const step = steps[round % steps.length] ?? (() => true);
      await eventually('the step is reached', () => step() || child.exitCode !== null);
      child.kill('SIGKILL');
      await closed;
      const text = read(workstation, '.claude.json');
      expect(Object.keys(JSON.parse(text) as object)).toContain('padding');
      if (existsSync(workstation.path('.claude/settings.json'))) readJson(workstation, '.claude/settings.json');
      isDone = text.includes('agentrelay') && existsSync(workstation.path('.claude/settings.json'));
    }
    await workstation.json(['install']);
    expect(read(workstation, '.claude.json')).toContain(PROGRAM);
    await workstation.json(['install', '--uninstall']);
    expect(read(workstation, '.claude.json')).toBe(padding);
  });
});

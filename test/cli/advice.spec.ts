import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { McpSession, TEST_ADMIN_TOKEN, type TestAgent, useRelay } from '@agentrelay/testing';
import { readConfigFile, writeConfig } from '@agentrelay/workstation';
import { folderOfProgram } from './agentrelay';

const relay = useRelay();
const bin = folderOfProgram();

/** A name that a shell takes apart unless it is quoted. */
const ODD_FOLDER = "my 'own' $folder";

/** What a person has typed, where, and what they know to put in the place of `<link>` and the like. */
interface Scene {
  typed: string;
  environment: Record<string, string>;
  known?: Record<string, string>;
}

/** A command as a shell runs it. */
async function inShell(line: string, environment: Record<string, string>) {
  const PATH = `${bin}:${process.env['PATH'] ?? ''}`;
  const child = spawn('bash', ['-c', line], { env: { ...environment, PATH }, stdio: ['ignore', 'pipe', 'pipe'] });
  const ran = { code: -1, stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (ran.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (ran.stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { ...ran, code: code ?? -1 };
}

/** The commands in what was printed, each up to where a person sees it end. */
function commandsIn(printed: string): string[] {
  const found = printed.matchAll(/(?<![\w/.])(?:agentrelay|chmod|env -u \w+ agentrelay) (?!—)[^\n`]*/g);
  return [...found].map(([command]) => command.replace(/\)?(, or set .*|; mend.*|\.)?$/, ''));
}

function filled(command: string, known: Record<string, string>): string {
  return Object.entries(known).reduce((line, [name, value]) => line.replaceAll(name, value), command);
}

/** A link for `handle`, which may be registered. */
async function linkFor(handle: string): Promise<string> {
  await relay.agent('inviter@acme');
  const body = { handle, inviter_handle: 'inviter@acme' };
  return (await relay.admin<{ url: string }>('POST', '/admin/invites', body)).body.url;
}

/** An environment whose AgentRelay folder has an odd name, connected as the agent. */
function connectedAs(agent?: TestAgent): { environment: Record<string, string>; home: string } {
  const userHome = mkdtempSync(join(tmpdir(), 'agentrelay-advice-'));
  const home = join(userHome, ODD_FOLDER);
  mkdirSync(home, { mode: 0o700 });
  if (agent !== undefined) {
    const { url, handle, agentId, apiKey } = agent;
    writeConfig(home, { relay_url: url, agent_handle: handle, agent_id: agentId, api_key: apiKey });
  }
  return { environment: { HOME: userHome, AGENTRELAY_HOME: home }, home };
}

async function franks(): Promise<ReturnType<typeof connectedAs> & { bob: TestAgent; frank: TestAgent }> {
  const { bob, frank } = await relay.pair();
  return { bob, frank, ...connectedAs(frank) };
}

const LIFTED: Record<string, () => Promise<Scene>> = {
  'a config.json that others can read': async () => {
    const { environment, home } = await franks();
    chmodSync(join(home, 'config.json'), 0o644);
    return { typed: 'agentrelay whoami', environment };
  },
  'a read-only config.json': async () => {
    const { environment, home } = await franks();
    chmodSync(join(home, 'config.json'), 0o400);
    return { typed: 'agentrelay rotate-key', environment };
  },
  'a trust.yaml that others can change': async () => {
    const { environment, home } = await franks();
    writeFileSync(join(home, 'trust.yaml'), 'version: 1\n');
    chmodSync(join(home, 'trust.yaml'), 0o666);
    return { typed: 'agentrelay trust list', environment };
  },
  'a config.json that is no JSON': async () => {
    const { environment, home } = await franks();
    writeFileSync(join(home, 'config.json'), '{"relay_url":');
    return { typed: 'agentrelay whoami', environment, known: { '<link>': await linkFor('frank@acme') } };
  },
  'a config.json without a key': async () => {
    const { environment, home } = await franks();
    writeFileSync(join(home, 'config.json'), JSON.stringify({ relay_url: relay.url, agent_handle: 'a@b' }));
    return { typed: 'agentrelay inbox', environment, known: { '<link>': await linkFor('frank@acme') } };
  },
  'a workstation that has not joined': async () => {
    const { environment } = connectedAs();
    return { typed: 'agentrelay inbox', environment, known: { '<link>': await linkFor('new@acme') } };
  },
  'a workstation without a config.json whose key is to be replaced': async () => {
    const frank = await relay.agent('frank@acme');
    const { environment } = connectedAs();
    const typed = 'agentrelay rotate-key';
    return { typed, environment, known: { '<link>': await linkFor(frank.handle) } };
  },
  'a key that ended': async () => {
    const { environment } = await franks();
    await relay.admin('POST', '/admin/agents/frank@acme/keys/rotate', { overlap_seconds: 0 });
    return { typed: 'agentrelay whoami', environment, known: { '<link>': await linkFor('frank@acme') } };
  },
  'a key from the environment that is to be replaced': async () => {
    const { environment, frank } = await franks();
    const typed = 'test -n "$(find "$AGENTRELAY_HOME" -newer "$HOME/then")" || agentrelay rotate-key';
    writeFileSync(join(environment['HOME']!, 'then'), '');
    return { typed, environment: { ...environment, AGENTRELAY_API_KEY: frank.apiKey } };
  },
  'a teammate whom trust.yaml does not name': async () => {
    const { environment, home, bob } = await franks();
    writeFileSync(join(home, 'trust.yaml'), 'unknown_teammates: {policy: reject}\n', { mode: 0o600 });
    const { thread_id } = await bob.send('frank@acme');
    return { typed: `agentrelay show ${thread_id}`, environment };
  },
  'a teammate whom trust.yaml blocks': async () => {
    const { environment, home, bob } = await franks();
    writeFileSync(join(home, 'trust.yaml'), 'blocked: [bob@acme]\n', { mode: 0o600 });
    const { thread_id } = await bob.send('frank@acme');
    return { typed: `agentrelay accept ${thread_id}`, environment };
  },
  'a config.json that doctor finds open': async () => {
    const { environment, home } = await franks();
    chmodSync(join(home, 'config.json'), 0o640);
    return { typed: 'agentrelay doctor', environment };
  },
};

describe('what an error message says to run', () => {
  it.each(Object.entries(LIFTED))('works as it is printed, and the error is gone: %s', async (_, arrange) => {
    const { typed, environment, known = {} } = await arrange();
    const failed = await inShell(typed, environment);
    expect(failed.code).toBe(1);
    const printed = `${failed.stdout}${failed.stderr}`;
    const commands = commandsIn(printed);
    expect({ printed, commands: commands.length > 0 }).toEqual({ printed, commands: true });
    for (const command of commands) {
      const { code, stderr } = await inShell(filled(command, known), environment);
      expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' });
    }
    const again = await inShell(typed, environment);
    expect(again).toMatchObject({ code: 0, stderr: '' });
  });

  it('leads from a taken handle to a workstation that works under it', async () => {
    const { environment } = await franks();
    await relay.agent('taken@acme');
    const asAdmin = { ...environment, RELAY_ADMIN_TOKEN: TEST_ADMIN_TOKEN };
    const taken = await inShell('agentrelay register taken@acme --force', asAdmin);
    expect(taken.stderr).toContain('(conflict)');
    const [invite = ''] = commandsIn(taken.stderr);
    const made = await inShell(filled(invite, { '<handle>': 'taken@acme' }), asAdmin);
    expect(made.code).toBe(0);
    const [join = ''] = commandsIn(made.stdout);
    const fresh = connectedAs();
    expect((await inShell(join, fresh.environment)).code).toBe(0);
    expect(readConfigFile(fresh.home)?.agent_handle).toBe('taken@acme');
  });

  it('ends this workstation’s own key, or replaces it, in the words that it is refused with', async () => {
    const { environment, home } = await franks();
    const keys = await inShell('agentrelay keys --json', environment);
    const [own] = (JSON.parse(keys.stdout) as { keys: { key_id: string }[] }).keys;
    const refused = await inShell(`agentrelay keys end ${own!.key_id}`, environment);
    const [replace = '', end = ''] = commandsIn(refused.stderr);
    const before = readFileSync(join(home, 'config.json'), 'utf8');
    expect((await inShell(replace, environment)).code).toBe(0);
    expect(readFileSync(join(home, 'config.json'), 'utf8')).not.toBe(before);
    expect((await inShell(end, environment)).code).toBe(0);
  });

  it('shows what there is after a thread that is not there or has moved on', async () => {
    const { environment, bob, frank } = await franks();
    const missing = await inShell('agentrelay accept 01a22c93-dbc2-76ad-8065-c100a926d60c', environment);
    expect(missing.stderr).toContain('(thread_not_found)');
    const { thread_id } = await bob.send('frank@acme');
    const [list = ''] = commandsIn(missing.stderr);
    expect((await inShell(list, environment)).stdout).toContain(thread_id);
    await frank.accept(thread_id, { session_id: 'another' });
    const moved = await inShell(`agentrelay accept ${thread_id}`, environment);
    expect(moved.code).toBe(1);
    for (const command of commandsIn(moved.stderr)) {
      expect((await inShell(command, environment)).stdout).toContain(thread_id);
    }
  });

  it('goes on waiting where a wait ended, and blocks at the relay what was blocked here only', async () => {
    const { environment, bob } = await franks();
    const nothing = await inShell('agentrelay wait --timeout 1s', environment);
    expect(nothing.stderr).toContain('(nothing_arrived)');
    const { thread_id } = await bob.send('frank@acme');
    const [wait = ''] = commandsIn(nothing.stderr);
    expect((await inShell(wait, environment)).stdout).toContain(thread_id);
    const away = { ...environment, AGENTRELAY_URL: 'http://127.0.0.1:9' };
    const half = await inShell('agentrelay block bob@acme', away);
    expect(half.stderr).toContain('not at the relay');
    const [block = ''] = commandsIn(half.stderr);
    expect((await inShell(block, environment)).code).toBe(0);
    const list = await inShell('agentrelay block --list --json', environment);
    expect(JSON.parse(list.stdout)).toEqual({ blocked: [{ handle: 'bob@acme', here: true, at_relay: true }] });
  });
});

describe('what a tool’s error says to run', () => {
  it('lifts it while the server runs on: an open config.json, one that is gone, a teammate who is not named', async () => {
    const { environment, home, bob } = await franks();
    const { thread_id } = await bob.send('frank@acme');
    const config = join(home, 'config.json');
    writeFileSync(join(home, 'trust.yaml'), 'unknown_teammates: {policy: reject}\n', { mode: 0o600 });
    chmodSync(config, 0o644);
    const session = await McpSession.start(environment);
    const view = () => session.call('view_thread', { thread_id });
    const lifted = async (known: Record<string, string> = {}): Promise<string> => {
      const { text, isError } = await view();
      expect({ text, isError }).toEqual({ text, isError: true });
      const [command = ''] = commandsIn(text);
      expect(await inShell(filled(command, known), environment)).toMatchObject({ code: 0 });
      return command;
    };
    expect(await lifted()).toMatch(/^chmod 600 /);
    expect(await lifted()).toBe('agentrelay trust set bob@acme');
    expect((await view()).isError).toBe(false);
    renameSync(config, `${config}.away`);
    expect(await lifted({ '<link>': await linkFor('frank@acme') })).toContain('agentrelay join');
    expect((await view()).isError).toBe(false);
    await session.stop();
  });
});

import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { McpSession, restCall, TEST_ADMIN_TOKEN, TestAgent, useRelay } from '@agentrelay/testing';
import { readConfigFile } from '@agentrelay/workstation';
import { PROGRAM, Workstation } from './agentrelay';
import { proxyTo } from './relay-proxy';

const relay = useRelay();

const asAdmin = { RELAY_ADMIN_TOKEN: TEST_ADMIN_TOKEN };

/** A link for a newcomer, as an administrator gets it. */
async function inviteLink(handle = 'newcomer@acme', terms: object = {}): Promise<{ url: string; jti: string }> {
  await relay.agent('inviter@acme');
  const body = { handle, inviter_handle: 'inviter@acme', ...terms };
  return (await relay.admin<{ url: string; jti: string }>('POST', '/admin/invites', body)).body;
}

function configOf(workstation: Workstation): string {
  return readFileSync(join(workstation.home, 'config.json'), 'utf8');
}

describe('invite and join', () => {
  it('take a newcomer from a link to a connected and checked workstation in one line', async () => {
    await relay.agent('inviter@acme');
    const admin = new Workstation();
    const made = await admin.run(
      ['invite', 'newcomer@acme', '--inviter', 'inviter@acme', '--relay', relay.url],
      asAdmin,
    );
    expect(made.code).toBe(0);
    const [, line = ''] = /^ {2}(agentrelay join '.*')$/m.exec(made.stdout) ?? [];
    const [, link = ''] = /'(.*)'/.exec(line) ?? [];
    const newcomer = new Workstation().withClients('.claude');
    const joined = await newcomer.run(['join', link, '--client', 'claude-code', '--name', 'New Comer']);
    expect(joined.stderr).toBe('');
    expect(joined.code).toBe(0);
    expect(joined.stdout).toContain('You are newcomer@acme');
    expect(joined.stdout).toMatch(/✓ relay: .* answered in \d+ ms/);
    expect(joined.stdout).toMatch(/✓ mcp server: lists \d+ tools/);
    expect(joined.stdout).toMatch(/✓ client claude-code: starts /);
    expect(statSync(join(newcomer.home, 'config.json')).mode & 0o777).toBe(0o600);
    expect(statSync(newcomer.home).mode & 0o777).toBe(0o700);
    expect(Object.keys(JSON.parse(configOf(newcomer)) as object)).toEqual([
      'relay_url',
      'agent_handle',
      'agent_id',
      'api_key',
      'default_session_id',
    ]);
    const { api_key = '' } = readConfigFile(newcomer.home) ?? {};
    expect(joined.stdout).not.toContain(api_key);
    expect(readFileSync(newcomer.path('.claude.json'), 'utf8')).not.toContain(api_key);
    expect(await newcomer.json(['whoami'])).toMatchObject({ handle: 'newcomer@acme', name: 'New Comer' });
  });

  it('the relay’s page shows the command that an administrator’s line has', async () => {
    const { body } = await relay.anonymous<string>('GET', '/join');
    expect(body).toContain(`agentrelay join '&lt;address of this page&gt;'`);
  });

  it('without a client say the next command; the result in JSON has every check', async () => {
    const { url } = await inviteLink();
    const newcomer = new Workstation().withClients('.cursor');
    const { code, stdout } = await newcomer.run(['join', url, '--json']);
    const joined = JSON.parse(stdout) as { checks: { check: string; state: string }[] };
    expect(code).toBe(0);
    expect(joined).toMatchObject({
      handle: 'newcomer@acme',
      relay_url: relay.url,
      invited_by: 'inviter@acme',
      clients: [],
      ok: true,
    });
    expect(joined.checks.map(({ check, state }) => [check, state])).toEqual([
      ['config', 'ok'],
      ['relay', 'ok'],
      ['key', 'ok'],
      ['clock', 'ok'],
      ['trust', 'ok'],
      ['client cursor', 'warning'],
      ['mcp server', 'ok'],
    ]);
    const again = new Workstation();
    const text = await again.run(['join', (await inviteLinkFor('other@acme')).url]);
    expect(text.stdout).toContain('agentrelay install --client');
  });

  it('take the link behind a list of clients', async () => {
    const { url } = await inviteLink();
    const newcomer = new Workstation().withClients('.cursor');
    const { code, stdout } = await newcomer.run(['join', '--client', 'cursor', url]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/✓ client cursor: starts /);
  });

  it('send nothing in the clear to another machine unless told to, and then warn each time', async () => {
    const { url } = await inviteLink();
    // Any address of this machine that is not written as one of the loopback.
    const open = url.replace('127.0.0.1', '0.0.0.0');
    const newcomer = new Workstation();
    const refused = await newcomer.run(['join', open]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('is plain http: your key and every handoff can be read and changed on the way.');
    expect(readConfigFile(newcomer.home)).toBeUndefined();
    const joined = await newcomer.run(['join', open, '--insecure']);
    expect(joined.code).toBe(0);
    expect(joined.stdout).toMatch(/^! transport: http:\/\/0\.0\.0\.0:\d+ is plain http/m);
    for (const command of ['whoami', 'inbox', 'audit'])
      expect((await newcomer.run([command])).stderr).toMatch(/^warning: http:\/\/0\.0\.0\.0:\d+ is plain http: .*\n$/);
    const admin = ['--relay', relay.url.replace('127.0.0.1', '0.0.0.0')];
    for (const args of [
      ['invite', 'x@acme', '--inviter', 'inviter@acme'],
      ['register', 'x@acme'],
    ]) {
      const other = new Workstation();
      expect(await other.run([...args, ...admin], asAdmin)).toMatchObject({ code: 1, stdout: '' });
      expect(await other.run([...args, ...admin, '--insecure'], asAdmin)).toMatchObject({ code: 0 });
    }
  });

  it('do not follow a link that pretends to lead to another host, unless told to', async () => {
    const { url } = await inviteLink();
    const disguised = url.replace('127.0.0.1', 'relay.acme.dev@127.0.0.1');
    const newcomer = new Workstation();
    const refused = await newcomer.run(['join', disguised]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /it leads to 127\.0\.0\.1:\d+\. Nothing was sent\.\nIf that is meant: the same with --insecure/,
    );
    const joined = await newcomer.run(['join', disguised, '--insecure']);
    expect(joined).toMatchObject({ code: 0 });
    expect(joined.stderr).toMatch(/^warning: The link has a user name in front of its host: it leads to 127/);
  });

  it('finish everything without a stdin to ask, be it /dev/null or a file', async () => {
    await relay.agent('inviter@acme');
    const admin = new Workstation();
    const made = await admin.runReading(
      '/dev/null',
      ['invite', 'newcomer@acme', '--inviter', 'inviter@acme', '--relay', relay.url, '--json'],
      asAdmin,
    );
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const { url } = JSON.parse(made.stdout) as { url: string };
    const newcomer = new Workstation().withClients('.cursor');
    const joined = await newcomer.runReading('/dev/null', ['join', url, '--client', 'cursor']);
    expect(joined).toMatchObject({ code: 0, stderr: '' });
    expect(joined.stdout).toContain('You are newcomer@acme');
    expect(joined.stdout).toMatch(/✓ client cursor: starts /);
    const answers = newcomer.path('answers');
    writeFileSync(answers, `y\n${TEST_ADMIN_TOKEN}\n`);
    const over = await newcomer.runReading(answers, ['register', 'next@acme', '--relay', relay.url]);
    expect(over.code).toBe(0);
    expect(readConfigFile(newcomer.home)).toMatchObject({ agent_handle: 'next@acme' });
  });

  it('tell of a client’s file that cannot be read, with the workstation connected all the same', async () => {
    const { url } = await inviteLink();
    const newcomer = new Workstation().withClients('.cursor');
    writeFileSync(newcomer.path('.cursor/mcp.json'), '{"mcpServers": {');
    const { code, stdout } = await newcomer.run(['join', url, '--client', 'cursor']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/mcp\.json, line 1, column \d+: is not valid JSON/);
    expect(readConfigFile(newcomer.home)).toMatchObject({ agent_handle: 'newcomer@acme' });
    expect(readFileSync(newcomer.path('.cursor/mcp.json'), 'utf8')).toBe('{"mcpServers": {');
  });

  it('refuse a used, a withdrawn and a wrong invite, and write nothing', async () => {
    const used = await inviteLink('first@acme');
    expect((await new Workstation().run(['join', used.url])).code).toBe(0);
    const withdrawn = await inviteLinkFor('second@acme');
    await relay.admin('DELETE', `/admin/invites/${withdrawn.jti}`);
    const wrong = await inviteLinkFor('third@acme');
    for (const [link, symbol] of [
      [used.url, 'invite_expired'],
      [withdrawn.url, 'invite_expired'],
      [`${wrong.url.slice(0, -3)}xxx`, 'invalid_invite'],
    ] as const) {
      const workstation = new Workstation();
      const { code, stdout, stderr } = await workstation.run(['join', link]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(`(${symbol})`);
      expect(readConfigFile(workstation.home)).toBeUndefined();
    }
  });

  it('never replace another agent’s config unasked: a no keeps the invite unused, a yes or --force goes on', async () => {
    const workstation = Workstation.of(await relay.agent('old@acme'));
    const before = configOf(workstation);
    const { url } = await inviteLink();
    for (const answer of ['', 'n\n', '\n']) {
      const { code, stderr } = await workstation.run(['join', url], {}, answer);
      expect(code).toBe(1);
      expect(stderr).toContain('connected as old@acme');
      expect(stderr).toContain('--force');
      expect(configOf(workstation)).toBe(before);
    }
    expect((await workstation.run(['join', url], {}, 'y\n')).code).toBe(0);
    expect(readConfigFile(workstation.home)).toMatchObject({ agent_handle: 'newcomer@acme' });
    const next = await inviteLinkFor('forced@acme');
    expect((await workstation.run(['join', next.url, '--force'])).code).toBe(0);
    expect(readConfigFile(workstation.home)).toMatchObject({ agent_handle: 'forced@acme' });
  });

  it('say what an administrator got wrong', async () => {
    const admin = new Workstation();
    const unknown = await admin.run(['invite', 'new@acme', '--inviter', 'nobody@acme', '--relay', relay.url], asAdmin);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('(recipient_not_found)');
    const nobody = await admin.run(['invite', 'new@acme', '--relay', relay.url], asAdmin);
    expect(nobody).toMatchObject({ code: 1, stdout: '' });
    expect(nobody.stderr).toContain('--inviter');
    const nowhere = await admin.run(['invite', 'new@acme', '--inviter', 'inviter@acme'], asAdmin);
    expect(nowhere.stderr).toContain('--relay');
    const wrong = { RELAY_ADMIN_TOKEN: 'not-the-token-but-long-enough-to-be-one' };
    const refused = await admin.run(['invite', 'new@acme', '--inviter', 'inviter@acme', '--relay', relay.url], wrong);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('(forbidden)');
    expect(refused.stderr).not.toContain(wrong.RELAY_ADMIN_TOKEN);
  });
});

describe('a place where no key can be kept', () => {
  /** A config.json that is read-only, one that is a link to where nothing can be made, and one that is a folder. */
  const PLACES: [string, (path: string) => void][] = [
    ['a read-only file', (path): void => chmodSync(path, 0o400)],
    [
      'a link to nowhere',
      (path): void => {
        rmSync(path);
        symlinkSync(join(PROGRAM, 'config.json'), path);
      },
    ],
    [
      'a folder',
      (path): void => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
  ];

  it.each(PLACES)('is found out before join or register ask for one: %s', async (_, spoil) => {
    const workstation = Workstation.of(await relay.agent('old@acme'));
    const path = join(workstation.home, 'config.json');
    spoil(path);
    const { url } = await inviteLink();
    for (const args of [
      ['join', url, '--force'],
      ['register', 'other@acme', '--relay', relay.url, '--force'],
    ]) {
      const { code, stderr } = await workstation.run(args, asAdmin);
      expect(code).toBe(1);
      expect(stderr).toMatch(/config\.json: (cannot be written|is read-only)/);
    }
    expect(readdirSync(workstation.home)).toEqual(['config.json']);
    expect((await new Workstation().run(['join', url])).code).toBe(0);
    expect((await new Workstation().run(['register', 'other@acme', '--relay', relay.url], asAdmin)).code).toBe(0);
  });
});

describe('register', () => {
  it('registers an agent with the token from the environment or from stdin, and shows neither token nor key', async () => {
    for (const [handle, environment, stdin] of [
      ['one@acme', asAdmin, ''],
      ['two@acme', { AGENTRELAY_ADMIN_TOKEN: TEST_ADMIN_TOKEN }, ''],
      ['three@acme', {}, `${TEST_ADMIN_TOKEN}\n`],
    ] as const) {
      const workstation = new Workstation();
      const { code, stdout, stderr } = await workstation.run(
        ['register', handle, '--relay', `${relay.url}/`],
        environment,
        stdin,
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const { agent_handle, relay_url, api_key = '' } = readConfigFile(workstation.home) ?? {};
      expect({ agent_handle, relay_url }).toEqual({ agent_handle: handle, relay_url: relay.url });
      expect(stdout).toContain('agentrelay install');
      expect(stdout).not.toContain(api_key);
      expect(stdout).not.toContain(TEST_ADMIN_TOKEN);
      expect(await workstation.json(['whoami'])).toMatchObject({ handle });
    }
  });

  it('refuses without a token, with a taken handle and over another agent’s config, each with what to do', async () => {
    await relay.agent('taken@acme');
    const workstation = new Workstation();
    const without = await workstation.run(['register', 'new@acme', '--relay', relay.url]);
    expect(without.code).toBe(1);
    expect(without.stderr).toContain('RELAY_ADMIN_TOKEN');
    const taken = await workstation.run(['register', 'taken@acme', '--relay', relay.url], asAdmin);
    expect(taken.code).toBe(1);
    expect(taken.stderr).toContain('(conflict)');
    expect(readConfigFile(workstation.home)).toBeUndefined();
    const connected = Workstation.of(await relay.agent('old@acme'));
    const over = await connected.run(['register', 'new@acme'], asAdmin);
    expect(over.code).toBe(1);
    expect(over.stderr).toContain('--force');
    expect(
      (await relay.admin<{ agents: { handle: string }[] }>('GET', '/admin/agents')).body.agents.map(
        ({ handle }) => handle,
      ),
    ).not.toContain('new@acme');
  });
});

describe('rotate-key', () => {
  it('replaces the key under a running MCP server, whose next call uses the new one', async () => {
    const frank = await relay.agent('frank@acme');
    const workstation = Workstation.of(frank);
    const server = await McpSession.start({ AGENTRELAY_HOME: workstation.home });
    expect((await server.call('check_inbox')).isError).toBe(false);
    const { code, stdout } = await workstation.run(['rotate-key']);
    expect(code).toBe(0);
    const { api_key = '' } = readConfigFile(workstation.home) ?? {};
    expect(api_key).not.toBe(frank.apiKey);
    expect(stdout).not.toContain(api_key);
    // While they overlap both work; then the old one is ended at once, as if the overlap were over.
    expect((await frank.rest('GET', '/agents/me')).status).toBe(200);
    const { body } = await relay.admin<{ keys: { key_id: string; expires_at: string | null }[] }>(
      'GET',
      '/admin/agents/frank@acme/keys',
    );
    const old = body.keys.find(({ expires_at }) => expires_at !== null);
    await relay.admin('DELETE', `/admin/agents/frank@acme/keys/${old?.key_id ?? ''}?descendants=keep`);
    expect(
      (await new TestAgent(frank.url, frank.handle, frank.agentId, api_key).rest('GET', '/agents/me')).status,
    ).toBe(200);
    const after = await server.call('check_inbox');
    await server.stop();
    expect(after).toMatchObject({ isError: false, text: 'No handoffs for you.' });
    expect((await restCall(frank.url, frank.apiKey, 'GET', '/agents/me')).status).toBe(401);
  });

  it.each([
    [503, 'unavailable'],
    [401, 'unauthenticated'],
  ])('keeps the new key although it is answered with %i, and says so', async (status, symbol) => {
    const frank = await relay.agent('frank@acme');
    const workstation = Workstation.of(frank);
    const proxy = await proxyTo(frank.url, (path, outgoing) => {
      if (path !== '/agents/me') return false;
      const body = { code: symbol, message: 'No.', request_id: 'r', details: {} };
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      return true;
    });
    const { code, stdout, stderr } = await workstation.run(['rotate-key'], { AGENTRELAY_URL: proxy.url });
    proxy.close();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('the new one is kept in config.json');
    expect(stderr).toContain(`(${symbol})`);
    const { api_key = '' } = readConfigFile(workstation.home) ?? {};
    expect(api_key).not.toBe(frank.apiKey);
    expect(stderr).not.toContain(api_key);
    expect(statSync(join(workstation.home, 'config.json')).mode & 0o777).toBe(0o600);
    expect(await workstation.json(['whoami'])).toMatchObject({ handle: 'frank@acme' });
  });

  it('says how to go on, and for how long, when the answer to the rotation is lost', async () => {
    const frank = await relay.agent('frank@acme');
    const workstation = Workstation.of(frank);
    const proxy = await proxyTo(frank.url, (path, outgoing) => {
      // Passed on, and cut before the answer is read.
      if (path.endsWith('/rotate')) outgoing.writeHead = () => outgoing.destroy();
      return false;
    });
    const { code, stderr } = await workstation.run(['rotate-key'], { AGENTRELAY_URL: proxy.url });
    proxy.close();
    expect(code).toBe(1);
    expect(stderr).toContain('Run it again within 60 seconds: agentrelay rotate-key');
    expect(readConfigFile(workstation.home)?.api_key).toBe(frank.apiKey);
    expect((await workstation.run(['rotate-key'])).code).toBe(0);
    expect(readConfigFile(workstation.home)?.api_key).not.toBe(frank.apiKey);
  });

  it('leaves the config as it is when the relay is away, or the key is not its own', async () => {
    const workstation = Workstation.of(await relay.agent('frank@acme'));
    const before = configOf(workstation);
    expect((await workstation.run(['rotate-key'], { AGENTRELAY_URL: 'http://127.0.0.1:9' })).code).toBe(1);
    const given = await workstation.run(['rotate-key'], { AGENTRELAY_API_KEY: 'ar_test_other' });
    expect(given.code).toBe(1);
    expect(given.stderr).toContain('AGENTRELAY_API_KEY');
    expect(configOf(workstation)).toBe(before);
    expect(readdirSync(workstation.home)).toEqual(['config.json']);
  });
});

describe('agentrelay mcp', () => {
  it('serves the tools on stdio', async () => {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    const frank = await relay.agent('frank@acme');
    const client = new Client({ name: 'tests', version: '1' });
    const env = { HOME: Workstation.of(frank).userHome };
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp'], env }));
    const { tools } = await client.listTools();
    const called = await client.callTool({ name: 'check_inbox', arguments: {} });
    await client.close();
    expect(tools.map(({ name }) => name)).toContain('handoff_to_teammate');
    expect(called.content).toEqual([{ type: 'text', text: 'No handoffs for you.' }]);
  });
});

/** As `inviteLink`, where the inviter is there. */
async function inviteLinkFor(handle: string): Promise<{ url: string; jti: string }> {
  const body = { handle, inviter_handle: 'inviter@acme' };
  return (await relay.admin<{ url: string; jti: string }>('POST', '/admin/invites', body)).body;
}

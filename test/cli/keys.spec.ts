import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_ADMIN_TOKEN, type TestAgent, useRelay } from '@agentrelay/testing';
import { readConfigFile } from '@agentrelay/workstation';
import { Workstation } from './agentrelay';

const relay = useRelay();
const asAdmin = { RELAY_ADMIN_TOKEN: TEST_ADMIN_TOKEN };

interface ListedKey {
  key_id: string;
  label: string;
  principal: string;
  current: boolean;
}

async function issue(handle: string, terms: object = {}): Promise<{ key_id: string; api_key: string }> {
  return (await relay.admin<{ key_id: string; api_key: string }>('POST', `/admin/agents/${handle}/keys`, terms)).body;
}

const status = async (agent: TestAgent): Promise<number> => (await agent.rest('GET', '/agents/me')).status;

describe('agentrelay keys', () => {
  it('lists what lives, says which one is in use here, and shows no key', async () => {
    const frank = await relay.agent('frank@acme');
    const expires_at = '2099-01-01T00:00:00.000Z';
    const second = await issue('frank@acme', { label: 'ci \u001b[31m“x”', expires_at });
    const workstation = Workstation.of(frank);
    const { keys } = await workstation.json<{ keys: ListedKey[] }>(['keys']);
    expect(keys).toMatchObject([
      { key_id: second.key_id, principal: 'agent', current: false, expires_at, parent_key_id: null },
      { label: 'first key', principal: 'agent', current: true, expires_at: null },
    ]);
    const { code, stdout } = await workstation.run(['keys']);
    expect(code).toBe(0);
    expect(stdout).toContain(second.key_id);
    expect(stdout).toContain(`ends ${expires_at}`);
    expect(stdout).toMatch(/“first key” \(this one\): for an agent, made \S+, .*no end/);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).not.toContain('ar_test_');
  });

  it('ends one with what was made with it, and its own only when told twice', async () => {
    const frank = await relay.agent('frank@acme');
    const stolen = await issue('frank@acme');
    const thief = frank.withKey(stolen.api_key);
    const { body: made } = await thief.rest<{ key_id: string; api_key: string }>('POST', '/agents/me/keys/rotate', {
      keep_others: true,
      overlap_seconds: 86_400,
    });
    const workstation = Workstation.of(frank);
    expect(await workstation.json(['keys', 'end', stolen.key_id])).toEqual({
      key_id: stolen.key_id,
      ended: [stolen.key_id, made.key_id],
    });
    expect(await Promise.all([frank, thief, frank.withKey(made.api_key)].map(status))).toEqual([200, 401, 401]);
    const { keys } = await workstation.json<{ keys: ListedKey[] }>(['keys']);
    const own = keys[0]!.key_id;
    const refused = await workstation.run(['keys', 'end', own]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('agentrelay rotate-key');
    expect(await status(frank)).toBe(200);
    expect((await workstation.run(['keys', 'end', own, '--force'])).code).toBe(0);
    expect(await status(frank)).toBe(401);
  });

  it('says what is wrong with an id', async () => {
    const workstation = Workstation.of(await relay.agent('frank@acme'));
    expect((await workstation.run(['keys', 'end', 'x'])).code).toBe(2);
    const unknown = await workstation.run(['keys', 'end', '0198f7c0-0000-7000-8000-000000000000']);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('(not_found)');
  });
});

describe('agentrelay rotate-key', () => {
  it('shows which other keys ended, and with --keep-others that none did', async () => {
    const frank = await relay.agent('frank@acme');
    const other = await issue('frank@acme', { label: 'somewhere' });
    const workstation = Workstation.of(frank);
    const kept = await workstation.json(['rotate-key', '--keep-others', '--overlap', '1h']);
    expect(kept).toMatchObject({ old_key_ends_in_seconds: 3_600, ended_keys: [], expires_at: null });
    expect(await status(frank.withKey(other.api_key))).toBe(200);
    const { code, stdout } = await workstation.run(['rotate-key', '--overlap', '0']);
    expect(code).toBe(0);
    expect(stdout).toContain('the old one has ended');
    expect(stdout).toMatch(new RegExp(`Ended: ${other.key_id}  “somewhere”: for an agent`));
    expect(stdout).not.toContain('ar_test_');
    expect(await Promise.all([frank, frank.withKey(other.api_key)].map(status))).toEqual([401, 401]);
    expect(await workstation.json<{ keys: ListedKey[] }>(['keys'])).toMatchObject({ keys: [{ current: true }] });
    expect((await workstation.run(['rotate-key', '--overlap', '25h'])).code).toBe(2);
  });
});

describe('a workstation whose key ended', () => {
  it('comes back under its handle by doing what the messages say', async () => {
    await relay.agent('ann@acme');
    const workstation = new Workstation();
    const registered = await workstation.run(['register', 'rec@acme', '--relay', relay.url], asAdmin);
    expect(registered.code).toBe(0);
    const { agent_id, api_key = '' } = readConfigFile(workstation.home) ?? {};
    const [key] = (await relay.admin<{ keys: { key_id: string }[] }>('GET', '/admin/agents/rec@acme/keys')).body.keys;
    await relay.admin('DELETE', `/admin/agents/rec@acme/keys/${key!.key_id}`);

    // What every command now says: the administrator's part, then this workstation's.
    for (const command of ['whoami', 'doctor']) {
      const refused = await workstation.run([command]);
      expect(refused.code).toBe(1);
      const said = `${refused.stdout}${refused.stderr}`;
      expect(said).toContain("Ask an administrator for an invite, then: agentrelay join '<link>' --force");
    }
    const taken = await new Workstation().run(['register', 'rec@acme', '--relay', relay.url], asAdmin);
    expect(taken.stderr).toContain('agentrelay invite <handle>');

    const admin = new Workstation();
    const made = await admin.run(['invite', 'rec@acme', '--relay', relay.url, '--inviter', 'ann@acme'], asAdmin);
    expect(made.code).toBe(0);
    expect(made.stdout).toContain('its other agent keys end');
    const [, link = ''] = /^ {2}agentrelay join '(.*)' --force$/m.exec(made.stdout) ?? [];
    const joined = await workstation.run(['join', link, '--force']);
    expect(joined.stderr).toBe('');
    expect(joined.code).toBe(0);
    expect(await workstation.json(['whoami'])).toMatchObject({ handle: 'rec@acme', agent_id });
    expect(readConfigFile(workstation.home)?.api_key).not.toBe(api_key);
    expect(readFileSync(join(workstation.home, 'config.json'), 'utf8')).not.toContain(api_key);
    const used = await workstation.run(['join', link, '--force']);
    expect(used.stderr).toContain('(invite_expired)');
    expect(await workstation.json(['whoami'])).toMatchObject({ handle: 'rec@acme' });
  });

  it('of an agent that was disabled is told what comes first', async () => {
    const frank = await relay.agent('frank@acme');
    await relay.agent('ann@acme');
    await relay.admin('DELETE', '/admin/agents/frank@acme');
    expect(await status(frank)).toBe(401);
    const invite = ['invite', 'frank@acme', '--relay', relay.url, '--inviter', 'ann@acme'];
    const refused = await new Workstation().run(invite, asAdmin);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('PATCH /admin/agents/frank@acme');
    await relay.admin('PATCH', '/admin/agents/frank@acme', { status: 'active' });
    const { command } = await new Workstation().json<{ command: string }>(invite, asAdmin);
    const workstation = Workstation.of(frank);
    const [, link = ''] = /'(.*)'/.exec(command) ?? [];
    expect((await workstation.run(['join', link, '--force'])).code).toBe(0);
    expect(await workstation.json(['whoami'])).toMatchObject({ handle: 'frank@acme' });
  });
});

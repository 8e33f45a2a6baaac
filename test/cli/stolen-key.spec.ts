import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually, EventStreamReader, TEST_ADMIN_TOKEN, type TestAgent, useRelay } from '@agentrelay/testing';
import { readConfigFile } from '@agentrelay/workstation';
import { commandsOf } from '../restore/runbook';
import { PROGRAM, Workstation } from './agentrelay';

const relay = useRelay();

/** Runs a step of docs/operate.md on a machine, and returns what it printed. */
async function follow(step: string, on: Workstation, environment: Record<string, string> = {}): Promise<string> {
  const folder = on.path('bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'agentrelay'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
  chmodSync(join(folder, 'agentrelay'), 0o755);
  const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, HOME: on.userHome, ...environment };
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commandsOf(step)], { env });
  return stdout;
}

const asAdmin = () => ({ RELAY: relay.url, HANDLE: 'frank@acme', RELAY_ADMIN_TOKEN: TEST_ADMIN_TOKEN });

async function made(by: TestAgent, body: object): Promise<TestAgent> {
  const answer = await by.rest<{ api_key: string }>('POST', '/agents/me/keys/rotate', body);
  expect(answer.status).toBe(200);
  return by.withKey(answer.body.api_key);
}

const status = async (agent: TestAgent): Promise<number> => (await agent.rest('GET', '/agents/me')).status;

/** A thief who holds frank's key, and has made two more of it, to last as long as they can. */
async function theft(): Promise<{ frank: TestAgent; thieves: TestAgent[] }> {
  const frank = await relay.agent('frank@acme');
  const second = await made(frank, { overlap_seconds: 86_400, keep_others: true });
  const third = await made(second, { overlap_seconds: 86_400, keep_others: true });
  return { frank, thieves: [second, third] };
}

describe('the runbook for a stolen key', () => {
  it('leaves the owner with the only key, by the owner alone', async () => {
    const { frank, thieves } = await theft();
    const workstation = Workstation.of(frank);
    const stream = await EventStreamReader.open(thieves[1]!.at(relay.replicaUrl));
    const printed = await follow('stolen-key-owner', workstation);
    expect(printed.match(/^Ended: /gm)).toHaveLength(2);
    expect(printed).toContain('the old one has ended');
    expect(printed).toMatch(/key\.rotated/);
    expect(printed).not.toContain('ar_test_');
    await eventually('the stream ended', () => stream.ended);
    expect(await Promise.all([frank, ...thieves].map(status))).toEqual([401, 401, 401]);
    expect(await workstation.json(['whoami'])).toMatchObject({ handle: 'frank@acme' });
  });

  it('works when the thief was faster: an administrator ends everything, and the owner comes back', async () => {
    const { frank, thieves } = await theft();
    const human = await relay.humanOf(frank);
    const workstation = Workstation.of(frank);
    const fastest = await made(thieves[1]!, { overlap_seconds: 86_400 });
    expect(await status(frank)).toBe(401);
    await expect(follow('stolen-key-owner', workstation)).rejects.toThrow('(unauthenticated)');

    const admin = new Workstation();
    expect(await follow('stolen-key-stop', admin, asAdmin())).toBe('');
    expect(await Promise.all([...thieves, fastest, human].map(status))).toEqual([401, 401, 401, 200]);
    const invited = await follow('stolen-key-invite', admin, asAdmin());
    const [, line = ''] = /^ {2}(agentrelay join .*)$/m.exec(invited) ?? [];
    const [, link = ''] = /'(.*)'/.exec(line) ?? [];
    expect(line).toMatch(/ --force$/);
    expect((await workstation.run(['join', link, '--force'])).code).toBe(0);
    expect(await workstation.json(['whoami'])).toMatchObject({ handle: 'frank@acme' });

    const [events = '', keys = ''] = (await follow('stolen-key-audit', admin, asAdmin())).split(/(?<=\})(?=\{"keys)/);
    const rotations = (JSON.parse(events) as { events: { type: string }[] }).events.filter(
      ({ type }) => type === 'key.rotated',
    );
    expect(rotations).toHaveLength(3);
    const list = (JSON.parse(keys) as { keys: { revoked_at: string | null; label: string; principal: string }[] }).keys;
    // The administrator's key, which nobody has, ended when the invite was redeemed.
    const { keys: left } = await workstation.json<{ keys: object[] }>(['keys']);
    expect(left).toHaveLength(1);
    expect(list.find(({ label }) => label === 'rotated')!.revoked_at).not.toBeNull();
    expect(readConfigFile(workstation.home)?.api_key).not.toBe(frank.apiKey);
  });
});

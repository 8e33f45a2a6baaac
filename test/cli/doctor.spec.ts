import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { useRelay } from '@agentrelay/testing';
import { Workstation } from './agentrelay';

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
    // The relay behind a door that says another time.
    const door = createServer((incoming, outgoing) => {
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
    await new Promise((resolve) => door.once('listening', resolve));
    const url = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
    const diagnosis = await doctor(Workstation.of(frank), [], { AGENTRELAY_URL: url });
    door.close();
    door.closeAllConnections();
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
      'client codex': 'failed',
      'client cursor': 'ok',
      'mcp server': 'ok',
    });
    expect(diagnosis.checks[0]?.message).toContain(`chmod u+w ${claude}`);
    expect(readFileSync(codex, 'utf8')).toBe('[broken\n');
    expect(existsSync(workstation.path('.cursor/cli-config.json'))).toBe(false);
    expect(existsSync(workstation.path('.claude/settings.json'))).toBe(false);
  });
});

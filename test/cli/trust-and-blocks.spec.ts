import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useRelay } from '@agentrelay/testing';
import { TrustFile } from '@agentrelay/workstation';
import { Workstation } from './agentrelay';

const relay = useRelay();
const AWAY = { AGENTRELAY_URL: 'http://127.0.0.1:9' };

function blockedHere(workstation: Workstation): string[] {
  return TrustFile.load(workstation.home).blocked();
}

describe('block and unblock', () => {
  it('block here and at the relay, and end it at both', async () => {
    const { bob, frank } = await relay.pair();
    const workstation = Workstation.of(frank);
    const blocked = await workstation.run(['block', 'Bob@acme', '--reason', 'too loud']);
    expect(blocked.code).toBe(0);
    expect(blocked.stdout).toContain('agentrelay unblock bob@acme');
    expect(blockedHere(workstation)).toEqual(['bob@acme']);
    expect(
      (
        await bob.refusal('message/send', {
          recipient: 'frank@acme',
          message: { parts: [{ type: 'text', text: 'x' }] },
        })
      ).symbol,
    ).toBe('teammate_blocked');
    expect(await workstation.json(['block', '--list'])).toEqual({
      blocked: [{ handle: 'bob@acme', here: true, at_relay: true }],
    });
    expect(await workstation.json(['unblock', 'bob@acme'])).toEqual({ handle: 'bob@acme', blocked: false });
    expect(blockedHere(workstation)).toEqual([]);
    await bob.send('frank@acme');
    expect((await workstation.run(['unblock', '--list'])).stdout).toBe('You block nobody.\n');
  });

  it('leave the teammate blocked here when the relay is away in the middle of either', async () => {
    const { frank } = await relay.pair();
    const workstation = Workstation.of(frank);
    const half = await workstation.run(['block', 'bob@acme'], AWAY);
    expect(half.code).toBe(1);
    expect(half.stderr).toContain('blocked on this workstation, not at the relay');
    expect(half.stderr).toContain('agentrelay block bob@acme');
    expect(blockedHere(workstation)).toEqual(['bob@acme']);
    const { stdout } = await workstation.run(['block', '--list']);
    expect(stdout).toBe('bob@acme  here only; run: agentrelay block bob@acme\n');
    expect((await workstation.run(['block', 'bob@acme'])).code).toBe(0);
    expect((await workstation.run(['unblock', 'bob@acme'], AWAY)).code).toBe(1);
    expect(blockedHere(workstation)).toEqual(['bob@acme']);
    expect(await workstation.json(['block', '--list'])).toEqual({
      blocked: [{ handle: 'bob@acme', here: true, at_relay: true }],
    });
  });

  it('say near handles for one that the relay does not know, and unblocking it again works', async () => {
    const { frank } = await relay.pair();
    const workstation = Workstation.of(frank);
    const { code, stderr } = await workstation.run(['block', 'bobb@acme']);
    expect(code).toBe(1);
    expect(stderr).toContain('(recipient_not_found)');
    expect((await workstation.run(['unblock', 'bobb@acme'])).code).toBe(0);
    expect(blockedHere(workstation)).toEqual([]);
  });

  it('stop at a trust.yaml that does not parse or that others may change, and leave it alone', async () => {
    const { frank } = await relay.pair();
    const workstation = Workstation.of(frank);
    const path = join(workstation.home, 'trust.yaml');
    writeFileSync(path, 'version: 1\nblocked: [bob@acme\n', { mode: 0o600 });
    for (const args of [
      ['block', 'bob@acme'],
      ['unblock', 'bob@acme'],
      ['trust', 'list'],
      ['trust', 'set', 'bob@acme'],
    ]) {
      const { code, stderr } = await workstation.run(args);
      expect(code).toBe(1);
      expect(stderr).toMatch(/trust\.yaml, line \d+, column \d+: /);
    }
    expect(readFileSync(path, 'utf8')).toBe('version: 1\nblocked: [bob@acme\n');
    writeFileSync(path, 'version: 1\n');
    chmodSync(path, 0o666);
    expect((await workstation.run(['block', 'bob@acme'])).stderr).toContain(`chmod 600 ${path}`);
  });
});

describe('trust', () => {
  it('sets, lists and resets what a teammate is trusted with, without a relay, and keeps comments', async () => {
    const workstation = new Workstation();
    await workstation.json(['trust', 'list']);
    const set = await workstation.json([
      'trust',
      'set',
      'Bob@acme',
      '--auto-read',
      '--auto-write',
      'docs/',
      'notes/',
      '--require-approval',
      'docs/legal',
    ]);
    expect(set).toEqual({
      handle: 'bob@acme',
      known: true,
      blocked: false,
      auto_read: true,
      auto_test: false,
      auto_write_paths: ['docs/', 'notes/'],
      require_approval: ['docs/legal'],
    });
    const path = join(workstation.home, 'trust.yaml');
    writeFileSync(path, `# mine\n${readFileSync(path, 'utf8')}`);
    const changed = await workstation.json([
      'trust',
      'set',
      'bob@acme',
      '--no-auto-read',
      '--auto-test',
      '--no-auto-write',
    ]);
    expect(changed).toMatchObject({
      auto_read: false,
      auto_test: true,
      auto_write_paths: [],
      require_approval: ['docs/legal'],
    });
    const { stdout } = await workstation.run(['trust', 'list']);
    expect(stdout).toContain('bob@acme: may run tests unasked; always asked: docs/legal');
    expect(stdout).toContain('Everybody else: ask');
    const { code } = await workstation.run(['trust', 'reset', 'bob@acme']);
    expect(code).toBe(0);
    expect(await workstation.json(['trust', 'list'])).toMatchObject({
      teammates: [],
      blocked: [],
      unknown_teammates: 'ask',
    });
    expect(readFileSync(path, 'utf8')).toMatch(/^# mine\n/);
  });

  it('warns of members of the user’s own, and refuses what is easily taken for a member of ours', async () => {
    const workstation = new Workstation();
    await workstation.json(['trust', 'set', 'bob@acme', '--require-approval', 'src']);
    const path = join(workstation.home, 'trust.yaml');
    const own = `team: acme\n${readFileSync(path, 'utf8')}`;
    writeFileSync(path, own);
    expect(await workstation.json(['trust', 'list'])).toMatchObject({ unknown_members: ['team'] });
    expect((await workstation.run(['trust', 'list'])).stdout).toContain('misspelt: team');
    expect((await workstation.run(['doctor'])).stdout).toMatch(/^! trust: .* misspelt: team$/m);
    for (const wrong of [`block: [eve@acme]\n${own}`, own.replace('approval', 'aproval')]) {
      writeFileSync(path, wrong);
      const { code, stdout, stderr } = await workstation.run(['trust', 'list']);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(
        /trust\.yaml, line \d+, column \d+: .* changes nothing, and looks like (blocked|require_approval)\./,
      );
      expect((await workstation.run(['doctor'])).stdout).toMatch(/^✗ trust: .* line \d+, column \d+: /m);
    }
  });
});

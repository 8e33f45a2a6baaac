import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, useRelay } from '@agentrelay/testing';
import { folderOfProgram, Workstation } from './agentrelay';
import { proxyTo } from './relay-proxy';

const relay = useRelay();
const bin = folderOfProgram();

async function inShell(workstation: Workstation, line: string, environment: Record<string, string> = {}) {
  const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: workstation.userHome, ...environment };
  const child = spawn('bash', ['-c', `set -o pipefail; ${line}`], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ran = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (ran.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (ran.stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...ran };
}

describe('output that nobody takes', () => {
  it('ends the command without a word when the reader has gone, and says why when the disk is full', async () => {
    const { bob, frank } = await relay.pair();
    for (let n = 0; n < 8; n++) await bob.send('frank@acme', { artifacts: [{ type: 'file_diff', path: 'a', diff: 'd'.repeat(100_000) }] }); // prettier-ignore
    const workstation = Workstation.of(frank);
    const { items } = await workstation.json<{ items: { thread_id: string }[] }>(['inbox']);
    const show = `agentrelay show ${items[0]!.thread_id}`;
    expect(await inShell(workstation, `${show} | head -c 10 > /dev/null`)).toEqual({ code: 0, stdout: '', stderr: '' });
    const full = await inShell(workstation, `${show} > /dev/full`);
    expect(full).toMatchObject({ code: 1, stdout: '' });
    expect(full.stderr).toContain('agentrelay: the result cannot be written: ENOSPC');
    const deaf = await inShell(workstation, 'agentrelay show 01a22c93-dbc2-76ad-8065-c100a926d60c 2> /dev/full');
    expect(deaf).toEqual({ code: 1, stdout: '', stderr: '' });
    expect((await inShell(workstation, 'agentrelay inbox >&-')).code).not.toBeNull();
  });
});

describe('a home folder that cannot be', () => {
  const below = new Workstation();
  writeFileSync(below.path('file'), '');
  symlinkSync(below.path('circle'), below.path('circle'));

  it.each([
    ['below a file', below.path('file/home'), 'A part of this path is a file.'],
    ['that is a file', below.path('file'), 'A part of this path is a file.'],
    ['of a name that is too long', below.path('x'.repeat(300)), 'The path is too long.'],
    ['behind links in a circle', below.path('circle/home'), 'Symbolic links on this path lead to each other.'],
  ])('%s is named with what to do, by every command that needs it', async (_, AGENTRELAY_HOME, why) => {
    const commands = [
      ['inbox'],
      ['whoami'],
      ['keys'],
      ['trust', 'list'],
      ['block', 'frank@acme'],
      ['send', 'frank@acme', 'x'],
    ];
    for (const command of [...commands, ['install', '--client', 'claude-code']]) {
      const { code, stdout, stderr } = await new Workstation().run(command, { AGENTRELAY_HOME });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(`agentrelay: ${AGENTRELAY_HOME}/`);
      expect(stderr).toContain(`${why} Set AGENTRELAY_HOME to a folder that you can write to.`);
    }
    const doctor = await new Workstation().run(['doctor'], { AGENTRELAY_HOME });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/^✗ config: .*\n✗ trust: /);
    expect(doctor.stdout).toContain(why);
  });
});

describe('a home folder in which nothing can be written', () => {
  it('lets everything be read, and sends nothing that it could not send again, unless a key is given', async () => {
    const { frank } = await relay.pair();
    const workstation = new Workstation();
    const environment = {
      // Nobody can make a folder there, not even root.
      AGENTRELAY_HOME: '/sys/agentrelay',
      AGENTRELAY_URL: frank.url,
      AGENTRELAY_API_KEY: frank.apiKey,
    };
    for (const command of [['whoami'], ['inbox'], ['audit'], ['trust', 'list'], ['keys']])
      expect(await workstation.run(command, environment)).toMatchObject({ code: 0, stderr: '' });
    const send = ['send', 'bob@acme', 'A word.'];
    const refused = await workstation.run(send, environment);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^agentrelay: .*cannot be written: E[A-Z]+.* Nothing was sent\.$/m);
    expect(refused.stderr).toContain('Set AGENTRELAY_HOME to a folder that you can write to.');
    expect(refused.stderr).toContain('the same with --idempotency-key');
    const elsewhere = { ...environment, AGENTRELAY_HOME: workstation.path('other') };
    expect((await workstation.run(send, elsewhere)).code).toBe(0);
    expect((await workstation.run([...send, '--idempotency-key', 'k1'], environment)).code).toBe(0);
  });

  const tiny = mkdtempSync(join(tmpdir(), 'agentrelay-tiny-'));
  const fill = `mount -t tmpfs -o size=8k tmpfs ${tiny} && dd if=/dev/zero of=${tiny}/filling bs=4k count=4 2>/dev/null;`;
  const canMount = spawnSync('unshare', ['-rm', 'sh', '-c', `${fill} true`]).status === 0;

  (canMount ? it : it.skip)('says that the disk is full, and sends nothing', async () => {
    const { frank } = await relay.pair();
    const line = `unshare -rm sh -c '${fill} agentrelay send bob@acme text'`;
    const ran = await inShell(new Workstation(), line, {
      AGENTRELAY_HOME: join(tiny, 'home'),
      AGENTRELAY_URL: frank.url,
      AGENTRELAY_API_KEY: frank.apiKey,
    });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/ENOSPC.*Make room on that disk, then run it again\. Nothing was sent\./);
    const [row] = await relay.database.query<{ count: number }>('SELECT count(*)::int AS count FROM handoffs');
    expect(row!.count).toBe(0);
  });
});

describe('Ctrl-C', () => {
  it('in the middle of a send leaves the key, and the same command again stores it once', async () => {
    const { bob } = await relay.pair();
    const state = { holding: true };
    const proxy = await proxyTo(relay.url, (_, outgoing) => {
      // The answer never comes.
      if (state.holding) Object.assign(outgoing, { writeHead: () => outgoing, write: () => true, end: () => outgoing });
      return false;
    });
    const workstation = Workstation.of(bob);
    const env = { PATH: process.env['PATH'] ?? '', HOME: workstation.userHome, AGENTRELAY_URL: proxy.url };
    const child = spawn(join(bin, 'agentrelay'), ['send', 'frank@acme', 'Once.'], { env, stdio: 'ignore' });
    const count = async () =>
      (await relay.database.query<{ count: number }>('SELECT count(*)::int AS count FROM handoffs'))[0]!.count;
    await eventually('the relay has stored it', async () => (await count()) === 1);
    child.kill('SIGINT');
    await once(child, 'close');
    state.holding = false;
    const again = await workstation.run(['send', 'frank@acme', 'Once.'], { AGENTRELAY_URL: proxy.url });
    expect(again.code).toBe(0);
    expect(await count()).toBe(1);
    proxy.close();
  });

  it('at a question that is not shown ends with 130 and without a word of ours', async () => {
    const workstation = new Workstation();
    const typed = `agentrelay register new@acme --relay ${relay.url}; echo "ended with $?"`;
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: workstation.userHome, TERM: 'dumb' };
    const child = spawn('script', ['-qec', `bash -c '${typed}'`, '/dev/null'], {
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let shown = '';
    child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    await eventually('the question is there', () => Promise.resolve(shown.includes('Admin token')));
    child.stdin.write('\u0003');
    await once(child, 'close');
    expect(shown).toContain('ended with 130');
    expect(shown).not.toContain('force closed');
  });
});

describe('odd words', () => {
  it.each([['frаnk@acme'], ['frank＠acme'], ['frank@acme\u200b'], ['frank@acme\u001b[2J'], ['@'], ['']])(
    'are no handle, and are not sent: %j',
    async (handle) => {
      const workstation = Workstation.of(await relay.agent('frank@acme'));
      const { code, stdout, stderr } = await workstation.run(['send', handle, 'text'], { LANG: 'C', COLUMNS: '20' });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('A handle looks like');
      expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f]/);
    },
  );

  it('and 20 columns leave the help whole', () => {
    const workstation = new Workstation();
    const help = execFileSync('script', ['-qec', 'stty cols 20; agentrelay --help', '/dev/null'], {
      env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: workstation.userHome, LANG: 'C', TERM: 'dumb' },
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const command of ['join', 'inbox', 'rotate-key']) expect(help).toContain(command);
  });
});

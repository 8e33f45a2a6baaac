import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WireThread } from '@agentrelay/protocol';
import { type TestAgent, useRelay } from '@agentrelay/testing';
import { Workstation } from './agentrelay';

const relay = useRelay();

/** A repository with one commit of `src/a.ts`, which has three lines. */
class Repository {
  readonly path = mkdtempSync(join(tmpdir(), 'agentrelay-repository-'));

  constructor() {
    this.git('init', '-q', '-b', 'main');
    this.write('src/a.ts', 'one\ntwo\nthree\n');
    this.commit();
  }

  git(...args: string[]): string {
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'commit.gpgSign=false'];
    return execFileSync('git', [...identity, ...args], { cwd: this.path, encoding: 'utf8' }).trim();
  }

  write(path: string, content: string): void {
    mkdirSync(join(this.path, path, '..'), { recursive: true });
    writeFileSync(join(this.path, path), content);
  }

  commit(): string {
    this.git('add', '-A');
    this.git('commit', '-q', '-m', 'x');
    return this.git('rev-parse', 'HEAD');
  }
}

async function pair(): Promise<{ bob: TestAgent; frank: TestAgent; bobs: Workstation; franks: Workstation }> {
  const { bob, frank } = await relay.pair();
  return { bob, frank, bobs: Workstation.of(bob), franks: Workstation.of(frank) };
}

describe('send, accept, reply and complete', () => {
  it('take a handoff from one workstation to the other and back', async () => {
    const { bob, bobs, franks } = await pair();
    const asked = await bobs.run(['send', 'frank@acme', '-', '--question', 'Which way?', '--json'], {}, 'Two ways.\n');
    expect(asked).toMatchObject({ code: 0, stderr: '' });
    const { thread_id } = JSON.parse(asked.stdout) as { thread_id: string };
    const accepted = await franks.json(['accept', thread_id]);
    expect(accepted).toMatchObject({
      thread_id,
      status: 'accepted',
      sender: 'bob@acme',
      trust_overlay: { known: false, policy: 'ask', user_must_decide: true, user_must_approve: false },
    });
    expect(await franks.json(['reply', thread_id, 'The first.'])).toMatchObject({ sequence_no: 2 });
    expect(await franks.json(['complete', thread_id, 'Done.'])).toMatchObject({
      status: 'completed',
      outcome: 'answered',
    });
    const thread = await bob.get(thread_id);
    expect(thread).toMatchObject({ intent: 'ask_question', metadata: { question: 'Which way?' }, outcome: 'answered' });
    expect(thread.messages.map(({ body }) => body)).toEqual(['Two ways.', 'The first.', 'Done.']);
  });

  it('propose, decline and withdraw', async () => {
    const { bob, bobs, franks } = await pair();
    const propose = [
      '--propose',
      'Rename it',
      '--rationale',
      'Clearer',
      '--target',
      'src/a.ts',
      'src/b.ts',
      'frank@acme',
      'See.',
    ];
    const proposed = await bobs.json<{ thread_id: string }>(['send', ...propose]);
    expect(await bob.get(proposed.thread_id)).toMatchObject({
      intent: 'propose_action',
      proposed_action: { description: 'Rename it', rationale: 'Clearer', target_files: ['src/a.ts', 'src/b.ts'] },
    });
    const accepted = await franks.run(['accept', proposed.thread_id]);
    expect(accepted.stdout).toContain('It proposes an action. Nothing was changed; approve it before any file is.');
    expect(await franks.json(['complete', proposed.thread_id, 'No.', '--failed'])).toMatchObject({ outcome: 'failed' });
    const other = await bobs.json<{ thread_id: string }>(['send', 'frank@acme', 'x']);
    expect(await bobs.json(['cancel', other.thread_id])).toMatchObject({ status: 'cancelled' });
    const late = await franks.run(['accept', other.thread_id]);
    expect(late).toMatchObject({ code: 1, stdout: '' });
    expect(late.stderr).toContain('(thread_terminal)');
  });

  it('store a call once: with the same key, and when it is repeated after an unknown outcome', async () => {
    const { bob, bobs } = await pair();
    const args = ['send', 'frank@acme', 'Once.', '--idempotency-key', 'key-1'];
    const [first, again] = [await bobs.json(args), await bobs.json(args)];
    expect(again).toEqual(first);
    // Nothing arrived at that port, so nothing is in doubt; a relay that takes the call and does not answer is told apart.
    const nobody = await bobs.run(['send', 'frank@acme', 'x'], { AGENTRELAY_URL: 'http://127.0.0.1:1' });
    expect(nobody.stderr).not.toContain('unknown whether');
    expect(readdirSync(join(bobs.home, 'pending'))).toEqual([]);
    const two = [await bobs.json(['send', 'frank@acme', 'Twice.']), await bobs.json(['send', 'frank@acme', 'Twice.'])];
    expect(new Set(two.map(({ thread_id }) => thread_id)).size).toBe(2);
    expect((await bob.call<{ items: object[] }>('tasks/list', { filter: { role: 'sender' } })).items).toHaveLength(3);
  });

  it('say what cannot be sent before anything is', async () => {
    const { bobs } = await pair();
    for (const [text, stdin, reason] of [
      ['-', ' \n', 'The summary is empty'],
      ['x'.repeat(10_001), '', 'has more than 10000 characters'],
      ['-', 'x'.repeat(1_048_577), 'stdin holds more than 1 MiB'],
    ] as const) {
      const { code, stderr } = await bobs.run(['send', 'frank@acme', text], {}, stdin);
      expect(code).toBe(1);
      expect(stderr).toContain(reason);
      expect(stderr).toContain('nothing was sent');
    }
  });
});

describe('what trust.yaml says', () => {
  it('holds for accept, show, inbox and wait as for the tools', async () => {
    const { bob, bobs, franks, frank } = await pair();
    const { thread_id } = await bob.send('frank@acme');
    const before = await frank.call<{ cursor: string }>('events/list', { cursor: 'now' });
    await bob.append(thread_id, 'More of it.');
    await franks.json(['trust', 'set', 'carol@acme']);
    writeFileSync(join(franks.home, 'trust.yaml'), 'unknown_teammates: {policy: reject}\n', { mode: 0o600 });
    for (const command of ['accept', 'show']) {
      const { code, stdout, stderr } = await franks.run([command, thread_id]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('What bob@acme wrote is withheld: trust.yaml rejects handoffs of teammates');
      expect(stderr).toContain('`agentrelay trust set bob@acme`');
    }
    const inbox = await franks.run(['inbox']);
    expect(inbox.stdout).toContain('withheld: trust.yaml rejects');
    expect(inbox.stdout).not.toContain('Please have a look.');
    const waited = await franks.run(['wait', '--cursor', before.cursor, '--timeout', '1s']);
    expect(waited.code).toBe(1);
    expect(waited.stderr).toContain('(nothing_arrived)');
    await franks.json(['trust', 'set', 'bob@acme', '--auto-read']);
    expect(await franks.json(['wait', '--cursor', before.cursor])).toMatchObject({
      events: [{ type: 'message.appended', actor: 'bob@acme', thread_id }],
    });
    expect(await franks.json(['accept', thread_id])).toMatchObject({ trust_overlay: { user_must_decide: false } });
    expect((await bobs.run(['show', thread_id])).code).toBe(0);
  });
});

describe('evidence from the repository', () => {
  it('is sent as typed artifacts with commit ids, and checked on the other side', async () => {
    const { bob, bobs, franks } = await pair();
    const mine = new Repository();
    const head = mine.git('rev-parse', 'HEAD');
    mine.write('src/a.ts', 'one\n2\nthree\n');
    mine.write('src/new file.ts', 'new\n');
    mine.git('add', '-A');
    const evidence = ['--diff', '--file', 'a.ts:2-3', '--file', 'a.ts', '--test', 'npm test'];
    const sent = await bobs.runIn(join(mine.path, 'src'), ['send', 'frank@acme', ...evidence, 'Look.', '--json']);
    expect(sent.stderr).toBe('warning: src/a.ts holds changes that are in no commit: your teammate cannot see them.\n');
    const { thread_id } = JSON.parse(sent.stdout) as { thread_id: string };
    const [message] = (await bob.get(thread_id)).messages;
    expect(message?.artifacts).toEqual([
      { type: 'file_diff', path: 'src/a.ts', base_sha: head, diff: expect.stringContaining('-two\n+2\n') as string },
      { type: 'file_diff', path: 'src/new file.ts', base_sha: head, diff: expect.stringContaining('+new\n') as string },
      { type: 'file_ref', path: 'src/a.ts', git_sha: head, lines: [2, 3] },
      { type: 'file_ref', path: 'src/a.ts', git_sha: head },
      { type: 'test_command', command: 'npm test', cwd: 'src' },
    ]);
    const theirs = new Repository();
    theirs.git('fetch', '-q', mine.path, 'main:theirs');
    const check = async (folder: string): Promise<string[]> => {
      const { stdout } = await franks.runIn(folder, ['show', thread_id, '--check', '--json']);
      return (JSON.parse(stdout) as { checks: { state: string }[] }).checks.map(({ state }) => state);
    };
    expect(await check(theirs.path)).toEqual(['applies', 'applies', 'known', 'known']);
    theirs.write('src/a.ts', 'something else\n');
    expect(await check(join(theirs.path, 'src'))).toEqual(['does_not_apply', 'applies', 'known', 'known']);
    expect(await check(new Repository().path)).toContain('applies');
    expect(existsSync(join(theirs.path, 'src/new file.ts'))).toBe(false);
    const shown = await franks.runIn(theirs.path, ['show', thread_id, '--check']);
    expect(shown.stdout).toMatch(/^✗ message 1, artifact 1 \(file_diff, src\/a\.ts\): patch failed: src\/a\.ts:1$/m);
    expect(shown.stdout).toMatch(/^✓ message 1, artifact 3 \(file_ref, src\/a\.ts\): its commit is known here/m);
    expect((await franks.run(['show', thread_id, '--check'])).stderr).toContain('in no git repository');
  });

  it('takes a range, and names what is not there', async () => {
    const { bob, bobs } = await pair();
    const mine = new Repository();
    const base = mine.git('rev-parse', 'HEAD');
    mine.write('src/a.ts', 'one\ntwo\n3\n');
    mine.write('picture.bin', '\u0000\u0001');
    mine.commit();
    const sent = await bobs.runIn(mine.path, ['send', 'frank@acme', '--diff', `${base}..HEAD`, 'Look.', '--json']);
    expect(sent.stderr).toBe('warning: picture.bin is no text: its changes are not attached.\n');
    const { thread_id } = JSON.parse(sent.stdout) as { thread_id: string };
    expect((await bob.get(thread_id)).artifacts).toMatchObject([{ path: 'src/a.ts', base_sha: base }]);
    for (const [args, reason] of [
      [['--diff=nowhere'], 'no such range'],
      [['--diff=--output=x'], 'no such range'],
      [['--file', 'none.ts'], 'There is no file none.ts here.'],
      [['--file', '../../etc/passwd'], 'There is no file ../../etc/passwd here.'],
      [['--file', '/etc/passwd'], 'There is no file /etc/passwd here.'],
      [['--file', 'src/a.ts:3-1'], 'run backwards'],
    ] as const) {
      const { code, stderr } = await bobs.runIn(mine.path, ['send', 'frank@acme', 'x', ...args]);
      expect({ code, reason, said: stderr.includes(reason) }).toEqual({ code: 1, reason, said: true });
    }
    expect(readdirSync(mine.path).sort()).toEqual(['.git', 'picture.bin', 'src']);
  });

  it('runs nothing that a repository or a teammate names, and writes nothing', async () => {
    const { bob, franks } = await pair();
    const trap = new Repository();
    const ran = join(trap.path, '..', `ran-${process.pid}-${Date.now()}`);
    const program = join(trap.path, '.git', 'trap.sh');
    writeFileSync(program, `#!/bin/sh\ntouch ${ran}\ncat\n`, { mode: 0o755 });
    for (const setting of ['core.fsmonitor', 'diff.external', 'diff.x.textconv', 'diff.x.command', 'filter.x.clean', 'filter.x.process', 'core.pager', 'core.sshCommand', 'uploadpack.packObjectsHook', 'core.editor'])
      trap.git('config', setting, program); // prettier-ignore
    trap.write('.git/hooks/post-index-change', `#!/bin/sh\ntouch ${ran}\n`);
    execFileSync('chmod', ['+x', join(trap.path, '.git/hooks/post-index-change')]);
    writeFileSync(join(trap.path, '.gitattributes'), '* diff=x filter=x\n');
    writeFileSync(join(trap.path, 'src/a.ts'), 'one\ntwo\n3\n');
    const hostile = (path: string, text: string): object => ({ type: 'file_diff', path, diff: text });
    const created = (path: string): string =>
      `diff --git a/${path} b/${path}\nnew file mode 100755\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`;
    const { thread_id } = await bob.send('frank@acme', {
      artifacts: [
        hostile('../outside', created('../outside')),
        hostile('.git/hooks/pre-commit', created('.git/hooks/pre-commit')),
        hostile('README', created('src/other')),
        hostile('--unsafe-paths', 'nonsense'),
        { type: 'file_ref', path: '../../etc/passwd', git_sha: trap.git('rev-parse', 'HEAD') },
        { type: 'file_ref', path: 'src/a.ts', git_sha: '--help' },
        { type: 'file_ref', path: 'src/a.ts', git_sha: 'HEAD' },
      ],
    });
    const before = readFileSync(join(trap.path, '.git/index'));
    const sent = await franks.runIn(trap.path, ['reply', thread_id, 'x', '--diff', '--file', 'src/a.ts']);
    expect(sent.code).toBe(0);
    const { stdout } = await franks.runIn(trap.path, ['show', thread_id, '--check', '--json']);
    const { checks, messages } = JSON.parse(stdout) as WireThread & { checks: { message: number; state: string }[] };
    expect(checks.filter(({ message }) => message === 1).map(({ state }) => state)).toEqual([
      'does_not_apply',
      'does_not_apply',
      'does_not_apply',
      'does_not_apply',
      'not_checked',
      'not_checked',
      'not_checked',
    ]);
    expect(messages[1]?.artifacts).toMatchObject([{ path: 'src/a.ts' }, { path: 'src/a.ts' }]);
    expect(existsSync(ran)).toBe(false);
    expect(readFileSync(join(trap.path, '.git/index')).equals(before)).toBe(true);
    expect(existsSync(join(trap.path, '.git/hooks/pre-commit'))).toBe(false);
  });
});

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Workstation } from './agentrelay';

const workstation = new Workstation();

const COMMANDS = ['join', 'install', 'doctor', 'whoami', 'inbox', 'show', 'trust', 'block', 'unblock', 'audit', 'keys', 'rotate-key',
  'invite', 'register', 'mcp', 'completion', 'send', 'accept', 'reply', 'complete', 'cancel', 'wait']; // prettier-ignore

describe('the command line', () => {
  it('lists every command in a help that fits a terminal of 34 lines and 80 columns', async () => {
    const { code, stdout } = await workstation.run(['--help']);
    expect(code).toBe(0);
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(33);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('shows the default life of an invite as it can be typed', async () => {
    const { stdout } = await workstation.run(['invite', '--help']);
    expect(stdout).toContain('(default: 24h)');
    const typed = await workstation.run(['invite', 'newcomer@acme', '--expires', '24h']);
    expect(typed.code).toBe(1);
    expect(typed.stderr).toContain('--relay');
  });

  it('says its version', async () => {
    expect(await workstation.run(['--version'])).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' });
  });

  it.each([
    [[]],
    [['nonsense']],
    [['trust']],
    [['whoami', '--nonsense']],
    [['whoami', 'too', 'much']],
    [['join']],
    [['join', 'https://relay.acme.dev/join']],
    [['join', 'https://relay.acme.dev/join#v1.e30.secret']],
    [['join', 'not a link']],
    [['install', '--client', 'emacs']],
    [['inbox', '--limit', '0']],
    [['inbox', '--role', 'boss']],
    [['inbox', '--status', 'rejected']],
    [['show', 'no-id']],
    [['block']],
    [['block', 'frank']],
    [['block', 'frank@acme', '--list']],
    [['unblock']],
    [['audit', '--since', 'yesterday']],
    [['audit', '--limit', '1001']],
    [['invite', 'newcomer']],
    [['invite', 'newcomer@acme', '--expires', '31d']],
    [['register', 'newcomer@acme', '--relay', 'ftp://relay']],
    [['register', 'newcomer@acme', '--token', 'secret']],
    [['trust', 'set', 'frank']],
    [['trust', 'set', 'frank@acme', '--require-approval', 'src/**']],
    [['trust', 'set', 'frank@acme', '--auto-write', 'docs', '..']],
    [['completion', 'tcsh']],
    [['send', 'frank@acme']],
    [['send', 'frank', 'text']],
    [['send', 'frank@acme', 'text', '--propose', 'x']],
    [['send', 'frank@acme', 'text', '--question', 'x', '--propose', 'y', '--rationale', 'z']],
    [['reply', 'no-id', 'text']],
    [['accept']],
    [['wait', '--timeout', '2d']],
  ])('ends with code 2 and a reason on stderr after %j', async (args) => {
    const { code, stdout, stderr } = await workstation.run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toBe('');
  });

  it.each([
    [['whoami']],
    [['inbox']],
    [['show', '01a22c93-dbc2-76ad-8065-c100a926d60c']],
    [['audit']],
    [['rotate-key']],
    [['unblock', 'frank@acme']],
    [['send', 'frank@acme', 'text']],
    [['accept', '01a22c93-dbc2-76ad-8065-c100a926d60c']],
    [['reply', '01a22c93-dbc2-76ad-8065-c100a926d60c', 'text']],
    [['complete', '01a22c93-dbc2-76ad-8065-c100a926d60c', 'text']],
    [['cancel', '01a22c93-dbc2-76ad-8065-c100a926d60c']],
    [['wait']],
  ])('without a configuration ends with code 1 and says how to join after %j', async (args) => {
    const { code, stdout, stderr } = await workstation.run(args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain("agentrelay join '<link>'");
  });

  it.each([
    [['trust', 'set', '--auto-write', 'docs', 'README.md', 'frank@acme']],
    [['trust', 'set', 'frank@acme', '--auto-write', 'docs', 'README.md']],
    [['trust', 'set', '--auto-write=docs', '--auto-write', 'README.md', '--', 'frank@acme']],
  ])(
    'gives an option of several values what can be one, and leaves the argument behind them alone: %j',
    async (args) => {
      const set = await new Workstation().run(args);
      expect(set.stderr).toBe('');
      expect(set.stdout).toContain('frank@acme: may write docs, README.md unasked');
    },
  );

  it('takes several clients and states in either form', async () => {
    const both = ['codex', 'cursor'];
    for (const args of [
      ['--client', ...both],
      ['--client', 'codex', '--client=cursor'],
    ]) {
      const { clients } = await new Workstation().json<{ clients: { client: string }[] }>([
        'install',
        '--dry-run',
        ...args,
      ]);
      expect(clients.map(({ client }) => client)).toEqual(both);
    }
    const wrong = await workstation.run(['inbox', '--status', 'pending', 'rejected']);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect((await workstation.run(['install', '--client', '--dry-run'])).stderr).toContain(
      "option '--client <name...>' argument",
    );
  });

  it('prints completions that shells can read, with every command in them', async () => {
    const scripts = await Promise.all(['bash', 'zsh', 'fish'].map((shell) => workstation.run(['completion', shell])));
    for (const { stdout } of scripts) for (const command of COMMANDS) expect(stdout).toContain(command);
    const bash = workstation.path('completion.bash');
    writeFileSync(bash, scripts[0]?.stdout ?? '');
    execFileSync('bash', ['-n', bash]);
    const typed = 'COMP_WORDS=(agentrelay trust s); COMP_CWORD=2; _agentrelay; echo "${COMPREPLY[@]}"';
    expect(execFileSync('bash', ['-c', `source ${bash}; ${typed}`], { encoding: 'utf8' })).toBe('set\n');
    const option = 'COMP_WORDS=(agentrelay inbox --li); COMP_CWORD=2; _agentrelay; echo "${COMPREPLY[@]}"';
    expect(execFileSync('bash', ['-c', `source ${bash}; ${option}`], { encoding: 'utf8' })).toBe('--limit\n');
  });
});

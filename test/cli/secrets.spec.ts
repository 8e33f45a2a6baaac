import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { buildProgram } from '../../apps/cli/src/program';
import { Workstation } from './agentrelay';

const workstation = new Workstation();

const FACTS = Buffer.from(JSON.stringify({ jti: 'x', inviter_handle: 'bob@acme' })).toString('base64url');
/** What must never be seen, in what holds it. */
const SECRETS = [
  { secret: 'Nb3xKq0wZr7Ts2Vy', typed: `http://127.0.0.1:9/join#v1.${FACTS}.Nb3xKq0wZr7Ts2Vy` },
  { secret: 'k3Yt9Qw', typed: 'ar_live_k3Yt9Qw' },
  { secret: 'hunter2', typed: 'http://me:hunter2@127.0.0.1:9/' },
  { secret: 'aT7-kQ0', typed: `aT7-kQ0${randomBytes(24).toString('base64url')}` },
] as const;

/** Every command with a secret as each argument, as the value of each option, in a misspelt option, and as one word too many. */
function lines(command: Command, path: readonly string[] = []): string[][] {
  const names = [...path, command.name()];
  const given = command.registeredArguments.filter(({ required }) => required).map(() => 'frank@acme');
  const valued = command.options.filter(({ flags }) => /[<[]/.test(flags)).map(({ long }) => long ?? '');
  const own = valued.map((long, index) => [...names, ...given, ...(index % 2 ? [`${long}=SECRET`] : [long, 'SECRET'])]);
  const each = given.map((_, index) => [...names, ...given.with(index, 'SECRET')]);
  const wrong = [
    [...names, ...given, 'SECRET'],
    [...names, '--misspelt=SECRET'],
    [...names, ...given, '--json=SECRET'],
  ];
  return [...own, ...each, ...wrong, ...command.commands.flatMap((sub) => lines(sub, names))];
}

const COMMANDS = buildProgram()
  .commands.flatMap((command) => lines(command))
  .concat([['SECRET'], ['--version=SECRET'], ['--misspelt=SECRET']]);

describe('a secret that was typed in the wrong place', () => {
  it('is not in what any command prints to stderr', async () => {
    expect(COMMANDS.length).toBeGreaterThan(60);
    const left = COMMANDS.map((words, index) => ({ words, index }));
    const work = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        const { secret, typed } = SECRETS[next.index % SECRETS.length] ?? SECRETS[0];
        const args = next.words.map((word) => word.replace('SECRET', typed));
        const { stderr } = await workstation.run(args, { AGENTRELAY_HOME: workstation.path('none') });
        if (stderr.includes(secret)) throw new Error(`${args.join(' ')} printed: ${stderr}`);
      }
    };
    await Promise.all([work(), work(), work()]);
  }, 120_000);

  it.each(SECRETS)('is not in what is said of usage, of the environment or of a crash: $typed', async ({ secret, typed }) => {
    const thrower = workstation.path('throws.js');
    writeFileSync(thrower, `setImmediate(() => { throw new Error(${JSON.stringify(`It was ${typed}`)}); });`);
    const crash = await workstation.run(['whoami'], { NODE_OPTIONS: `--require=${thrower}` });
    const environments = [{ AGENTRELAY_URL: typed, AGENTRELAY_API_KEY: `${typed}…` }, { AGENTRELAY_URL: typed }];
    const others = await Promise.all(environments.map((environment) => workstation.run(['doctor'], environment)));
    const said = [crash, ...others].map(({ stdout, stderr }) => stdout + stderr);
    expect(said[0]).toContain('agentrelay: It was ');
    expect(said.join('\n')).not.toContain(secret);
  }); // prettier-ignore
});

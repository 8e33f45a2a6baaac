import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostileRelay, type Malice } from '@agentrelay/testing';
import { writeConfig } from '@agentrelay/workstation';
import { Workstation } from './agentrelay';

const ID = '01a22c93-dbc2-76ad-8065-c100a926d60c';
const FACTS = Buffer.from(JSON.stringify({ jti: 'x', inviter_handle: 'bob@acme' })).toString('base64url');
const COMMANDS = [
  ['whoami'], ['inbox'], ['inbox', '--json'], ['show', ID], ['show', ID, '--json'], ['audit'], ['block', '--list'], ['block', 'eve@acme'],
  ['unblock', 'eve@acme'], ['keys'], ['rotate-key'], ['send', 'eve@acme', 'x'], ['accept', ID], ['reply', ID, 'x'], ['complete', ID, 'x'],
  ['cancel', ID], ['wait', '--timeout', '1s'], ['invite', 'x@acme', '--inviter', 'frank@acme'], ['register', 'x@acme', '--force'],
  ['join', 'LINK', '--force'], ['doctor'],
]; // prettier-ignore
const SOAK = process.env['SOAK'] === '1';

/** Bodies that no client should hold; a fourth of the commands meets one of them, all meet all when there is time. */
const BODIES: Malice[] = ['endless', 'huge', 'compressed', 'deep', 'wide'];

/** Controls but the line feed, C1, bidi marks, zero-width characters. */
const ACTIVE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
const PROBE = join(mkdtempSync(join(tmpdir(), 'agentrelay-probe-')), 'probe.js');
const BASELINE_AND_100_MB = 190 * 1024;

let relay: HostileRelay;

beforeAll(async () => {
  relay = await HostileRelay.start();
  writeFileSync(
    PROBE,
    // Its own peak: `ru_maxrss` begins with the size of the process that started it.
    `const { appendFileSync, readFileSync } = require('node:fs');
    process.on('exit', () => {
      const [, peak] = /^VmHWM:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'));
      appendFileSync(process.env.PEAK_FILE, peak + '\\n');
    });`,
  );
});

afterAll(() => relay.stop());

interface Driven {
  code: number;
  stdout: string;
  stderr: string;
  /** The largest resident size of the process and those it started, in KiB. */
  peak: number;
}

async function driven(args: readonly string[]): Promise<Driven> {
  const workstation = new Workstation();
  const config = { relay_url: relay.url, agent_handle: 'frank@acme', agent_id: ID, api_key: 'ar_test_x' };
  writeConfig(workstation.home, config);
  const peaks = workstation.path('peaks');
  const link = `${relay.url}/join#v1.${FACTS}.secret`;
  const ran = await workstation.run(
    args.map((word) => (word === 'LINK' ? link : word)),
    { RELAY_ADMIN_TOKEN: 'admin-token-of-the-test', NODE_OPTIONS: `--require=${PROBE}`, PEAK_FILE: peaks },
  );
  const peak = Math.max(...readFileSync(peaks, 'utf8').trim().split('\n').map(Number));
  return { ...ran, peak };
}

/** Runs every command line that was printed outside what is marked as foreign, with a stand-in for `agentrelay`. */
function paste(output: string): void {
  const lines = output.split('\n').filter((line) => !line.startsWith('│'));
  const commands = lines.flatMap((line) => /(?:^ {2}|: )(agentrelay \S.*)$/.exec(line)?.[1] ?? []);
  const folder = mkdtempSync(join(tmpdir(), 'agentrelay-paste-'));
  const script = ['agentrelay() { :; }', ...commands].join('\n');
  try {
    execFileSync('bash', ['-c', script], { cwd: folder, stdio: 'pipe' });
  } catch {
    // A place for a word, as in <handle>, is for the person to fill in.
  }
  expect({ commands, pwned: existsSync(join(folder, 'pwned')) }).toEqual({ commands, pwned: false });
  rmSync(folder, { recursive: true });
}

function expectHarmless(args: readonly string[], { stdout, stderr, peak }: Driven): void {
  const output = stdout + stderr;
  expect([args, ACTIVE.exec(output)?.[0]]).toEqual([args, undefined]);
  for (const line of output.split('\n')) expect(line).not.toMatch(/^\s*(agentrelay: all is well|\$\(touch|touch)/);
  expect(stderr).not.toMatch(/\n\s+at .*:\d+/);
  paste(output);
  expect([args, peak < BASELINE_AND_100_MB || peak]).toEqual([args, true]);
}

describe('a relay that lies', () => {
  it.each(['texts', 'lies', 'refuses', 'redirects'] as const)(
    'moves no cursor, passes for no line of ours and makes nobody paste a command: %s',
    async (malice) => {
      relay.malice = malice;
      const others = ['lies', 'refuses', 'redirects'];
      // Each command meets the free texts and one of the others, and all of them when there is time.
      const isMet = (index: number): boolean => SOAK || malice === 'texts' || others[index % 3] === malice;
      const left = COMMANDS.filter((_, index) => isMet(index));
      const work = async (): Promise<void> => {
        for (let args = left.pop(); args !== undefined; args = left.pop()) {
          const ran = await driven(args);
          expectHarmless(args, ran);
          // What they ask for, a 2xx alone tells.
          const isTold = malice === 'texts' || (malice === 'lies' && (args[0] ?? '').endsWith('block'));
          if (!isTold) expect([args, ran.code]).toEqual([args, 1]);
        }
      };
      await Promise.all([work(), work(), work()]);
    },
    120_000,
  );
  it('cannot make a command hold what it sends without end', async () => {
    for (const [index, args] of COMMANDS.entries()) {
      if (!SOAK && index % 4 !== 1) continue;
      const bodies = SOAK ? BODIES : [BODIES[index % BODIES.length] ?? 'huge'];
      for (const malice of bodies) {
        relay.malice = malice;
        const ran = await driven(args);
        expect([malice, args, ran.code]).toEqual([malice, args, 1]);
        expectHarmless(args, ran);
      }
    }
  }, 300_000);
});

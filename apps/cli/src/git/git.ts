import { execFile } from 'node:child_process';

/** What git said, and whether it did what it was asked. */
export interface GitAnswer {
  ok: boolean;
  stdout: string;
  /** The first line of what it complained of. */
  complaint: string;
}

const TIMEOUT_MS = 30_000;
const MAX_OUTPUT = 16 * 1024 * 1024;

/** Nothing that a repository names is run, and nothing is fetched: git only reads. */
const READ_ONLY = [
  '--no-pager',
  '--no-optional-locks',
  ...[
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'core.pager=cat',
    'core.quotePath=false',
    'diff.external=',
    'protocol.allow=never',
    'safe.bareRepository=explicit',
    'submodule.recurse=false',
  ].flatMap((setting) => ['-c', setting]),
];

/** Reads with git in a folder; `input` goes to its stdin. A git that is missing, or takes too long, is an answer too. */
export function git(cwd: string, args: readonly string[], input = ''): Promise<GitAnswer> {
  return run(cwd, [...READ_ONLY, ...args], input);
}

/**
 * As `git`, for what looks at files of the working tree: filters that the repository's attributes choose from the
 * configuration are switched off, because they are programs.
 */
export async function gitWithoutFilters(cwd: string, args: readonly string[], input = ''): Promise<GitAnswer> {
  const { stdout } = await git(cwd, ['config', '--null', '--name-only', '--get-regexp', '^filter\\.']);
  const off = stdout
    .split('\0')
    .filter((name) => /\.(clean|smudge|process|required)$/.test(name) && !name.includes('='))
    .flatMap((name) => ['-c', name.endsWith('.required') ? `${name}=false` : `${name}=`]);
  return git(cwd, [...off, ...args], input);
}

function run(cwd: string, args: readonly string[], input: string): Promise<GitAnswer> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1', GIT_OPTIONAL_LOCKS: '0' };
  return new Promise((resolve) => {
    const options = { cwd, env, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT, encoding: 'utf8' } as const;
    const child = execFile('git', args, options, (error, stdout, stderr) => {
      const [complaint = ''] = stderr.trim().split('\n');
      resolve({ ok: error === null, stdout, complaint: complaint || (error?.message.split('\n', 1)[0] ?? '') });
    });
    // It may end without reading what it was given.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** The folder of the repository that `cwd` is in, or undefined when it is in none. */
export async function repositoryOf(cwd: string): Promise<string | undefined> {
  const { ok, stdout } = await git(cwd, ['rev-parse', '--show-toplevel']);
  return ok ? stdout.replace(/\n$/, '') : undefined;
}

import { existsSync, realpathSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { type Artifact, artifactFault, LIMITS } from '@agentrelay/protocol';
import { CommandFailed } from '../command-failed';
import { warn } from '../warnings';
import { git, gitWithoutFilters, repositoryOf } from './git';

/** What a message is to carry from the repository that the command stands in. */
export interface Evidence {
  /** A range of commits; `HEAD` for what is not committed yet. */
  diff?: string;
  /** Files, as `path`, `path:12` or `path:12-40`. */
  file?: string[];
  /** Commands that the other side may run. */
  test?: string[];
}

/** A range as people write it, and no option of git. */
const RANGE = /^[A-Za-z0-9_@][A-Za-z0-9_./@{}^~-]*$/;
const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--no-renames', '--ignore-submodules=all'];
const PREFIXES = ['--src-prefix=a/', '--dst-prefix=b/'];

/** The evidence as artifacts, in the order diffs, files, tests. @throws CommandFailed for what is not there */
export async function artifactsOf(evidence: Evidence, cwd = process.cwd()): Promise<Artifact[]> {
  const { diff, file = [], test = [] } = evidence;
  if (diff === undefined && file.length === 0 && test.length === 0) return [];
  const repository = await repositoryOf(cwd);
  const head = repository === undefined ? undefined : await commitOf(repository, 'HEAD');
  const artifacts = [
    ...(diff === undefined ? [] : await diffs(repository, diff)),
    ...(await Promise.all(file.map((text) => fileRef(text, cwd, repository, head)))),
    ...test.map((command) => testCommand(command, cwd, repository)),
  ];
  const fault = artifacts.map(artifactFault).find((found) => found !== undefined);
  if (fault !== undefined) throw new CommandFailed(`What you attach cannot be sent: ${fault}.`, 'Attach less of it.');
  if (artifacts.length <= LIMITS.artifactsPerMessage) return artifacts;
  throw new CommandFailed(
    `These are ${artifacts.length} pieces, and a message holds ${LIMITS.artifactsPerMessage}.`,
    'Narrow the range, or name files that are on a branch.',
  );
}

/** The full id of the commit that a name stands for. */
async function commitOf(repository: string, name: string): Promise<string | undefined> {
  const { ok, stdout } = await git(repository, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`]);
  return ok ? stdout.trim() : undefined;
}

/** The changes of a range, a file each. */
async function diffs(repository: string | undefined, range: string): Promise<Artifact[]> {
  if (repository === undefined)
    throw new CommandFailed('This folder is in no git repository.', 'Run it inside the repository, or without --diff.');
  const names = RANGE.test(range)
    ? await gitWithoutFilters(repository, [...DIFF, '--name-only', '-z', range, '--'])
    : undefined;
  if (names?.ok !== true)
    throw new CommandFailed('git knows no such range of commits here.', 'Give one like main..HEAD, or --diff alone.');
  const paths = names.stdout.split('\0').filter((path) => path !== '');
  if (paths.length === 0) warn('there are no changes in that range: no diff is attached.');
  const base = await commitOf(repository, range.split('..', 1)[0] || 'HEAD');
  const found = await Promise.all(
    paths.slice(0, LIMITS.artifactsPerMessage + 1).map((path) => diffOf(repository, range, path)),
  );
  return found
    .filter((one) => one !== undefined)
    .map(({ path, diff }) => ({ type: 'file_diff', path, diff, ...(base !== undefined && { base_sha: base }) }));
}

async function diffOf(
  repository: string,
  range: string,
  path: string,
): Promise<{ path: string; diff: string } | undefined> {
  const args = [...DIFF, ...PREFIXES, range, '--', `:(top,literal)${path}`];
  const { ok, stdout, complaint } = await gitWithoutFilters(repository, args);
  if (!ok) throw new CommandFailed(`git cannot show the changes of ${path}: ${complaint}`, 'Leave it out.');
  if (!/^Binary files .* differ$/m.test(stdout)) return { path, diff: stdout };
  warn(`${path} is no text: its changes are not attached.`);
  return undefined;
}

async function fileRef(
  text: string,
  cwd: string,
  repository: string | undefined,
  head: string | undefined,
): Promise<Artifact> {
  const [, named = text, from, to = from] = /^(.+?):(\d{1,9})(?:-(\d{1,9}))?$/.exec(text) ?? [];
  const path = pathIn(repository ?? cwd, resolve(cwd, named));
  if (path === undefined)
    throw new CommandFailed(`There is no file ${named} here.`, 'Name a file of this project, like src/a.ts:12-40.');
  if (from !== undefined && Number(to) < Number(from))
    throw new CommandFailed(`Lines ${from}-${to ?? ''} of ${named} run backwards.`, 'Give them like 12-40.');
  if (repository !== undefined && head !== undefined) await warnOfChanges(repository, head, path);
  return {
    type: 'file_ref',
    path,
    ...(head !== undefined && { git_sha: head }),
    ...(from !== undefined && { lines: [Number(from), Number(to)] }),
  };
}

/** A file's path below the project, with slashes; undefined when it is not there or elsewhere. */
function pathIn(root: string, file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const path = relative(realpathSync(root), realpathSync(file));
  return path === '' || path.startsWith('..') ? undefined : path.split(sep).join('/');
}

async function warnOfChanges(repository: string, head: string, path: string): Promise<void> {
  const { stdout } = await gitWithoutFilters(repository, [...DIFF, '--name-only', head, '--', `:(top,literal)${path}`]);
  const known = await git(repository, ['cat-file', '-e', `${head}:${path}`]);
  if (!known.ok || stdout !== '') warn(`${path} holds changes that are in no commit: your teammate cannot see them.`);
}

function testCommand(command: string, cwd: string, repository: string | undefined): Artifact {
  const below =
    repository === undefined ? '' : relative(realpathSync(repository), realpathSync(cwd)).split(sep).join('/');
  return { type: 'test_command', command, ...(below !== '' && { cwd: below }) };
}

import { isPlainPath } from '@agentrelay/workstation';
import { shortLine } from '../short-line';
import { git, gitWithoutFilters, repositoryOf } from './git';

/** Whether what a message carries fits the repository that the command stands in. */
export interface Check {
  message: number;
  /** Counted from 1, as in what `show` prints. */
  artifact: number;
  type: 'file_diff' | 'file_ref';
  path: string;
  state: 'applies' | 'does_not_apply' | 'known' | 'unknown' | 'not_checked';
  detail: string;
}

type Found = Pick<Check, 'state' | 'detail'>;

/** Artifacts of one thread that are looked at; each costs a process. */
const MOST = 200;

/** Looks at diffs and file references. Nothing is written, and nothing that a teammate chose is run. */
export class Checker {
  private left = MOST;
  private constructor(private readonly repository: string) {}

  /** For the repository of this folder; undefined when it is in none. */
  static async here(cwd = process.cwd()): Promise<Checker | undefined> {
    const repository = await repositoryOf(cwd);
    return repository === undefined ? undefined : new Checker(repository);
  }

  /** The checks of what one message carries. */
  async of(message: { sequence_no: number; artifacts: { type: string }[] }): Promise<Check[]> {
    const checks: Check[] = [];
    for (const [index, artifact] of message.artifacts.entries()) {
      const { type, path } = artifact as { type: string; path?: unknown };
      if ((type !== 'file_diff' && type !== 'file_ref') || typeof path !== 'string') continue;
      const found =
        this.left-- > 0
          ? await this.look(artifact, path)
          : { state: 'not_checked' as const, detail: 'too many to check' };
      checks.push({ message: message.sequence_no, artifact: index + 1, type, path, ...found });
    }
    return checks;
  }

  private look(artifact: { type: string }, path: string): Promise<Found> {
    const { type, diff, git_sha } = artifact as { type: string; diff?: unknown; git_sha?: unknown };
    return type === 'file_diff' ? this.diff(diff, path) : this.commit(git_sha, path);
  }

  /** The paths that git reads out of the diff count, not the one that stands beside it. */
  private async diff(diff: unknown, path: string): Promise<Found> {
    if (typeof diff !== 'string' || diff.trim() === '') return { state: 'not_checked', detail: 'it holds no diff' };
    const patch = diff.endsWith('\n') ? diff : `${diff}\n`;
    const touched = await gitWithoutFilters(this.repository, ['apply', '--numstat', '-z', '-'], patch);
    const paths = touched.stdout
      .split('\0')
      .flatMap((entry) => entry.split('\t').slice(2))
      .filter((one) => one !== '');
    const others = paths.filter((one) => one !== path);
    if (others.length > 0)
      return {
        state: 'does_not_apply',
        detail: `it changes ${shortLine(others.slice(0, 5).join(', '))}, which it does not name`,
      };
    const { ok, complaint } = await gitWithoutFilters(this.repository, ['apply', '--check', '-'], patch);
    if (ok) return { state: 'applies', detail: 'it applies here' };
    return { state: 'does_not_apply', detail: shortLine(complaint.replace(/^(error|fatal): /, '')) };
  }

  private async commit(sha: unknown, path: string): Promise<Found> {
    if (typeof sha !== 'string' || !/^[0-9a-f]{7,64}$/i.test(sha))
      return { state: 'not_checked', detail: 'it names no commit' };
    if (!(await git(this.repository, ['cat-file', '-e', `${sha}^{commit}`])).ok)
      return { state: 'unknown', detail: 'its commit is not known here' };
    if (!isPlainPath(path)) return { state: 'not_checked', detail: 'its path is no plain path below a project' };
    const { ok } = await git(this.repository, ['cat-file', '-e', `${sha}:${path}`]);
    return ok
      ? { state: 'known', detail: 'its commit is known here, and holds the file' }
      : { state: 'unknown', detail: 'its commit is known here, and does not hold the file' };
  }
}

export function checkLine({ message, artifact, type, path, state, detail }: Check): string {
  const mark = state === 'applies' || state === 'known' ? '✓' : state === 'not_checked' ? '–' : '✗';
  return `${mark} message ${message}, artifact ${artifact} (${type}, ${shortLine(path)}): ${detail}`;
}

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const MIGRATIONS = 'apps/relay/src/database/migrations';

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT }).toString().trim();
}

/** The newest migration that the version before has. Later ones are unreleased, and are tested together. */
const LAST_OF_PREVIOUS = '1796050200000-trace-context-checked.ts';

/** Builds the last version that knew nothing of the migrations after LAST_OF_PREVIOUS. Needs the history of this repository. */
export function buildPreviousVersion(): { folder: string; remove: () => void } {
  const newer = readdirSync(join(ROOT, MIGRATIONS)).filter((file) => /^\d/.test(file) && file > LAST_OF_PREVIOUS);
  const paths = newer.map((file) => `${MIGRATIONS}/${file}`);
  const first = git('log', '--reverse', '--diff-filter=A', '--no-renames', '--format=%H', '--', ...paths).split(
    '\n',
  )[0];
  if (!first) throw new Error('The history of this repository does not say when the newest migrations came.');
  const folder = join(mkdtempSync(join(tmpdir(), 'agentrelay-previous-')), 'checkout');
  git('worktree', 'add', '--detach', folder, `${first}^`);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  execFileSync(process.execPath, [join(ROOT, 'node_modules/@nestjs/cli/bin/nest.js'), 'build'], { cwd: folder });
  return {
    folder,
    remove: () => {
      git('worktree', 'remove', '--force', folder);
      rmSync(join(folder, '..'), { recursive: true });
    },
  };
}

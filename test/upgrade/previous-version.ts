import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const MIGRATIONS = 'apps/relay/src/database/migrations';

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT }).toString().trim();
}

/** Builds the last version that knew nothing of the newest migrations. Needs the history of this repository. */
export function buildPreviousVersion(): { folder: string; remove: () => void } {
  const newest = git('log', '-1', '--diff-filter=A', '--format=%H', '--', MIGRATIONS);
  const folder = join(mkdtempSync(join(tmpdir(), 'agentrelay-previous-')), 'checkout');
  git('worktree', 'add', '--detach', folder, `${newest}^`);
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

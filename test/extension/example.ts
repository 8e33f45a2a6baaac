import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

/** Compiles the example as its author would, to a folder outside the checkout, where nothing is installed. */
export function compileExample(): { folder: string; entry: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'agentrelay-extension-'));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', join(ROOT, 'examples/extension'), '--outDir', folder]);
  return { folder, entry: join(folder, 'index.js'), remove: () => rmSync(folder, { recursive: true }) };
}

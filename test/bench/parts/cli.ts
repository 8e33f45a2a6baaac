import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Context } from '../context';
import type { Row } from '../table';
import { startRow } from './start';

/** As it is installed. */
const OURS = join(__dirname, '../../../package/agentrelay.js');
const BARE = join(__dirname, '../bare-cli.js');
const run = promisify(execFile);

/** `agentrelay --version`, beside a bare script on the same parser of arguments. */
export async function cli(context: Context): Promise<Row[]> {
  const ours: number[] = [];
  const bares: number[] = [];
  // The first of each fills the file cache.
  for (let n = 0; n <= (context.options.quick ? 1 : 15); n++) {
    const [our, bare] = [await answered(OURS), await answered(BARE)];
    if (n > 0) {
      ours.push(our);
      bares.push(bare);
    }
  }
  return [startRow('agentrelay --version', ours, bares)];
}

async function answered(script: string): Promise<number> {
  const since = performance.now();
  await run(process.execPath, [script, '--version']);
  return performance.now() - since;
}

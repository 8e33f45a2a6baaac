import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Context } from '../context';
import type { Row } from '../table';
import { besideBare } from './start';

/** As it is installed. */
const OURS = join(__dirname, '../../../package/agentrelay.js');
const BARE = join(__dirname, '../bare-cli.js');
const run = promisify(execFile);

/** `agentrelay --version`, beside a bare script on the same parser of arguments. */
export async function cli(context: Context): Promise<Row[]> {
  return [
    await besideBare(context, 'agentrelay --version', { ours: () => answered(OURS), bare: () => answered(BARE) }),
  ];
}

async function answered(script: string): Promise<number> {
  const since = performance.now();
  await run(process.execPath, [script, '--version']);
  return performance.now() - since;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Context } from '../context';
import type { Row } from '../table';
import { besideBare } from './start';

/** As it is installed. */
const OURS = join(__dirname, '../../../package/agentrelay-mcp.js');
const BARE = join(__dirname, '../bare-mcp.js');
/** Nobody listens there: the relay is not what is measured. */
const SETTINGS = { AGENTRELAY_HOME: '/nonexistent' };

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
});

/** From spawning the MCP server to its answer to `initialize`, beside a bare server on the same SDK. */
export async function mcp(context: Context): Promise<Row[]> {
  const starts = { ours: () => initialized(OURS), bare: () => initialized(BARE) };
  return [await besideBare(context, 'MCP server, spawn → initialized', starts)];
}

async function initialized(script: string): Promise<number> {
  const { PATH = '' } = process.env;
  const since = performance.now();
  const server = spawn(process.execPath, [script], { env: { PATH, ...SETTINGS }, stdio: ['pipe', 'pipe', 'ignore'] });
  server.stdin.write(`${INITIALIZE}\n`);
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  const taken = performance.now() - since;
  if (!line.toString().includes('"serverInfo"')) throw new Error(`${script} answered ${line.toString()}`);
  const exited = once(server, 'exit');
  server.kill('SIGKILL');
  await exited;
  return taken;
}

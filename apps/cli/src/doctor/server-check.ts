import { agentRelayHome } from '@agentrelay/workstation';
import { entryOfThisProgram } from '../installers';
import { version } from '@agentrelay/version';
import { failed } from './config-check';
import type { Finding } from './findings';

/** Whether the MCP server starts and lists its tools, as a coding agent would find it. */
export async function checkServer(): Promise<Finding> {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const client = new Client({ name: 'agentrelay-doctor', version: version() });
  try {
    const { command, args } = entryOfThisProgram(agentRelayHome(process.env));
    const env = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const start = performance.now();
    await client.connect(new StdioClientTransport({ command, args, env: Object.fromEntries(env), stderr: 'ignore' }));
    const { tools } = await client.listTools();
    const took = Math.round(performance.now() - start);
    return { check: 'mcp server', state: 'ok', message: `lists ${tools.length} tools after ${took} ms`, took_ms: took };
  } catch (error) {
    return failed('mcp server', error, 'See why: agentrelay mcp');
  } finally {
    await client.close();
  }
}

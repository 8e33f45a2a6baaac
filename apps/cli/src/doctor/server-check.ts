import { agentRelayHome } from '@agentrelay/workstation';
import { entryOfThisProgram, type McpEntry } from '../installers';
import { version } from '@agentrelay/version';
import { failed } from './config-check';
import type { Finding } from './findings';

const DEADLINE_MS = 15_000;

/** Whether the MCP server starts and lists its tools, as a coding agent would find it. */
export async function checkServer(): Promise<Finding> {
  try {
    const start = performance.now();
    const tools = await toolsOf(entryOfThisProgram(agentRelayHome(process.env)));
    const took = Math.round(performance.now() - start);
    return { check: 'mcp server', state: 'ok', message: `lists ${tools.length} tools after ${took} ms`, took_ms: took };
  } catch (error) {
    return failed('mcp server', error, 'See why: agentrelay mcp');
  }
}

/** Starts what an entry names, as a client would, and asks for its tools. @throws Error when it is no MCP server */
export async function toolsOf({ command, args, env }: McpEntry): Promise<string[]> {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const client = new Client({ name: 'agentrelay-doctor', version: version() });
  try {
    const given = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const variables = { ...Object.fromEntries(given), ...env };
    const transport = new StdioClientTransport({ command, args, env: variables, stderr: 'ignore' });
    await client.connect(transport, { timeout: DEADLINE_MS });
    const { tools } = await client.listTools(undefined, { timeout: DEADLINE_MS });
    return tools.map(({ name }) => name);
  } finally {
    await client.close();
  }
}

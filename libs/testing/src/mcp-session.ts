import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The program that clients start: built by `npm test` before the tests run. */
export const MCP_SERVER = join(__dirname, '../../../dist/apps/mcp-server/src/main.js');

export interface ToolResult {
  text: string;
  structured: Record<string, unknown>;
  isError: boolean;
}

/** The SDK is loaded here, because most tests need none of it. */
async function connect(environment: Record<string, string>, program: string, args: readonly string[]) {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, ...args],
    env: { AGENTRELAY_HOME: mkdtempSync(join(tmpdir(), 'agentrelay-home-')), ...environment },
    stderr: 'pipe',
  });
  const errors: string[] = [];
  transport.stderr?.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const client = new Client({ name: 'agentrelay-tests', version: '1.0.0' });
  await client.connect(transport);
  return { client, transport, errors };
}

type Connection = Awaited<ReturnType<typeof connect>>;

/** A real MCP client with a spawned MCP server of its own, as a coding agent runs it. */
export class McpSession {
  readonly client: Connection['client'];

  private constructor(private readonly connection: Connection) {
    this.client = connection.client;
  }

  /** Spawns the server with exactly these environment variables, and an empty home folder unless they name one. */
  static async start(
    environment: Record<string, string>,
    program = MCP_SERVER,
    args: readonly string[] = [],
  ): Promise<McpSession> {
    return new McpSession(await connect(environment, program, args));
  }

  /** Everything the server has printed to stderr so far. */
  get stderr(): string {
    return this.connection.errors.join('');
  }

  get pid(): number | null {
    return this.connection.transport.pid;
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolResult> {
    const { content, structuredContent, isError } = await this.client.callTool({ name, arguments: args });
    const text = (content as { text: string }[]).map((part) => part.text).join('\n');
    return { text, structured: (structuredContent ?? {}) as Record<string, unknown>, isError: isError === true };
  }

  stop(): Promise<void> {
    return this.client.close();
  }
}

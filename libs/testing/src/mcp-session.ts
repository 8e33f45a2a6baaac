import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

/** The program that clients start: built by `npm test` before the tests run. */
export const MCP_SERVER = join(__dirname, '../../../dist/apps/mcp-server/src/main.js');

export interface ToolResult {
  text: string;
  structured: Record<string, unknown>;
  isError: boolean;
}

/** A real MCP client with a spawned MCP server of its own, as a coding agent runs it. */
export class McpSession {
  private constructor(
    readonly client: Client,
    private readonly transport: StdioClientTransport,
    private readonly errors: string[],
  ) {}

  /** Spawns the server with exactly these environment variables. */
  static async start(environment: Record<string, string>): Promise<McpSession> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [MCP_SERVER],
      env: { AGENTRELAY_HOME: '/nonexistent', ...environment },
      stderr: 'pipe',
    });
    const errors: string[] = [];
    transport.stderr?.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
    const client = new Client({ name: 'agentrelay-tests', version: '1.0.0' });
    await client.connect(transport);
    return new McpSession(client, transport, errors);
  }

  /** Everything the server has printed to stderr so far. */
  get stderr(): string {
    return this.errors.join('');
  }

  get pid(): number | null {
    return this.transport.pid;
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

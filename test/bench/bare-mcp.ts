import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

/** What every MCP server on the SDK has to load: the floor of ours. */
const server = new McpServer({ name: 'bare', version: '1.0.0' });
server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({
  content: [{ type: 'text', text }],
}));
void server.connect(new StdioServerTransport());

// The least that the SDK serves: what the start of ours is measured against.
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');

const server = new McpServer({ name: 'bare', version: '1.0.0' });
server.registerTool('nothing', { description: 'Does nothing.' }, () => ({ content: [] }));
void server.connect(new StdioServerTransport());

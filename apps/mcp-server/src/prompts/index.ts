import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { handoffPrompt } from './handoff.prompt';
import { inboxPrompt } from './inbox.prompt';

export function registerPrompts(server: McpServer): void {
  for (const { name, title, description, args, text } of [handoffPrompt, inboxPrompt]) {
    server.registerPrompt(name, { title, description, argsSchema: args }, (given) => ({
      messages: [{ role: 'user', content: { type: 'text', text: text(given) } }],
    }));
  }
}

import type { Output } from '../output';

/** Serves MCP on stdio: the program takes stdin and stdout over as it loads. */
export async function run(_out: Output): Promise<void> {
  await import('../../../mcp-server/src/main.js');
}

import 'reflect-metadata';
import { claimStdout } from './protocol-stdout';

// First of all, before any dependency can print.
const stdout = claimStdout();

import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { NestFactory } from '@nestjs/core';
import { McpServerFactory } from './mcp-server';
import { McpServerModule } from './mcp-server.module';
import { HumanKeyRefused, RelaySession } from './relay-session';
import { StderrLogger } from './stderr-logger';
import { version } from '@agentrelay/version';

/** Serves MCP on stdio until stdin closes. */
async function main(): Promise<void> {
  const module = McpServerModule.forEnvironment(process.env);
  const app = await NestFactory.createApplicationContext(module, { logger: new StderrLogger(), abortOnError: false });
  const server = app.get(McpServerFactory).create(version());
  process.stdin.once('end', () => void app.close().then(() => process.exit(0)));
  await server.connect(new StdioServerTransport(process.stdin, stdout));
  await refuseHumanKey(app.get(RelaySession));
}

/** Ends the process when the key is a person's. Other troubles are told by the tools, when they are called. */
async function refuseHumanKey(session: RelaySession): Promise<void> {
  await session.open().catch((error: unknown) => {
    if (error instanceof HumanKeyRefused) throw error;
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`agentrelay-mcp: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});

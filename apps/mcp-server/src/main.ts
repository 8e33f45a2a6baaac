import 'reflect-metadata';
import { claimStdout } from './protocol-stdout';

// First of all, before any dependency can print.
const stdout = claimStdout();

import { plainHttpWarning } from '@agentrelay/protocol';
import { connectionOf } from '@agentrelay/workstation';
import { NestFactory } from '@nestjs/core';
import { DrainingTransport } from './draining-transport';
import { McpServerFactory } from './mcp-server';
import { McpServerModule } from './mcp-server.module';
import { HumanKeyRefused, RelaySession } from './relay-session';
import { StderrLogger } from './stderr-logger';
import { version } from '@agentrelay/version';

/** Serves MCP on stdio until stdin closes; what was asked before that is answered. */
async function main(): Promise<void> {
  warnOfPlainHttp();
  const module = McpServerModule.forEnvironment(process.env);
  const app = await NestFactory.createApplicationContext(module, { logger: new StderrLogger(), abortOnError: false });
  const session = app.get(RelaySession);
  const transport = new DrainingTransport(process.stdin, stdout);
  process.stdin.once('end', () => {
    session.endWaits();
    void transport
      .drain()
      .then(() => app.close())
      .then(() => process.exit(0));
  });
  await app.get(McpServerFactory).create(version()).connect(transport);
  await refuseHumanKey(session);
}

/** Said at each start: the key, and whatever is handed over, could be read and changed on the way. */
function warnOfPlainHttp(): void {
  try {
    const warning = plainHttpWarning(connectionOf(process.env).url);
    if (warning !== undefined) process.stderr.write(`agentrelay-mcp: ${warning}\n`);
  } catch {
    // That there is no usable configuration is told by each tool.
  }
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

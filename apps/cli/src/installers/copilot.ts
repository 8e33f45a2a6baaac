import { join } from 'node:path';
import { type Client, type ClientAnswer, type Objection, SERVER_NAME, type Surroundings } from './client';
import { JsonClientFile } from './json-client-file';
import { jsonAt, names } from './objections';
import { readJsonEntry } from './read-json-entry';

/**
 * Copilot CLI: MCP servers in `~/.copilot/mcp-config.json`; COPILOT_HOME moves the folder. It keeps no rules for all folders
 * in a file: it runs tools that only read unasked, and asks about the others.
 */
export const copilot: Client = {
  name: 'copilot',
  title: 'Copilot CLI',
  program: 'copilot',
  traces: (where) => [configFolder(where)],
  files: (setup) => [
    new JsonClientFile(serversFile(setup), {
      member: {
        keys: ['mcpServers'],
        name: SERVER_NAME,
        value: { type: 'local', ...setup.entry, tools: ['*'] },
        replace: setup.force,
      },
    }),
  ],
  entryIn: (where) => readJsonEntry(serversFile(where)),
  objections,
  question: { args: ['mcp', 'get', SERVER_NAME, '--json'], read: readAnswer },
};

function configFolder({ userHome, environment }: Surroundings): string {
  return environment['COPILOT_HOME'] || join(userHome, '.copilot');
}

function serversFile(where: Surroundings): string {
  return join(configFolder(where), 'mcp-config.json');
}

function objections(where: Surroundings): Objection[] {
  const path = join(configFolder(where), 'settings.json');
  if (!names(jsonAt(path, ['disabledMcpServers'])).includes(SERVER_NAME)) return [];
  const next = `Enable it: copilot mcp enable ${SERVER_NAME}`;
  return [{ breaks: true, message: `${path} names ${SERVER_NAME} in disabledMcpServers`, next }];
}

/** What `copilot mcp get --json` prints. */
function readAnswer({ code, stdout }: { code: number; stdout: string }): ClientAnswer | undefined {
  if (code !== 0) return { fault: 'it knows no server of that name' };
  const servers = JSON.parse(stdout) as Record<string, { command?: string; args?: string[]; enabled?: boolean }>;
  const server = servers[SERVER_NAME];
  if (server === undefined) return undefined;
  return {
    ...(server.command !== undefined && { command: server.command }),
    ...(server.args !== undefined && { args: server.args.join(' ') }),
    ...(server.enabled === false && { fault: 'the server is disabled' }),
  };
}

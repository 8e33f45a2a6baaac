import { join } from 'node:path';
import { type Client, type Objection, SERVER_NAME, type Surroundings } from './client';
import { JsonClientFile } from './json-client-file';
import { jsonAt, projectEntries } from './objections';
import { readJsonEntry } from './read-json-entry';
import { EXTERNAL_COMMANDS, READING_TOOLS } from './rules';

/**
 * Cursor: MCP servers in `~/.cursor/mcp.json`; permissions of its command line in `cli-config.json`, which CURSOR_CONFIG_DIR
 * or XDG_CONFIG_HOME move.
 */
export const cursor: Client = {
  name: 'cursor',
  title: 'Cursor',
  program: 'cursor-agent',
  traces: ({ userHome }) => [join(userHome, '.cursor')],
  files: (setup) => [
    new JsonClientFile(serversFile(setup), {
      member: { keys: ['mcpServers'], name: SERVER_NAME, value: { ...setup.entry }, replace: setup.force },
    }),
    ...(setup.rules
      ? [new JsonClientFile(settingsFile(setup), { lists: { keys: ['permissions'], lists: permissions() } })]
      : []),
  ],
  entryIn: (where) => readJsonEntry(serversFile(where)),
  objections: (where) => [
    ...turnedOff(serversFile(where)),
    ...projectEntries(where, '.cursor/mcp.json', serversFile(where)),
  ],
};

function serversFile({ userHome }: Surroundings): string {
  return join(userHome, '.cursor/mcp.json');
}

function settingsFile({ userHome, environment }: Surroundings): string {
  const { CURSOR_CONFIG_DIR: own, XDG_CONFIG_HOME: shared } = environment;
  return join(own || (shared ? join(shared, 'cursor') : join(userHome, '.cursor')), 'cli-config.json');
}

function turnedOff(path: string): Objection[] {
  if (jsonAt(path, ['mcpServers', SERVER_NAME, 'disabled']) !== true) return [];
  return [
    { breaks: true, message: `${path} says "disabled": true: it is not started`, next: `Take it out of ${path}.` },
  ];
}

/**
 * What is on neither list is asked about, so that writes need no rule. A command is known by its first word alone: `git`
 * and `npm` are not denied.
 */
function permissions(): Record<'allow' | 'deny', string[]> {
  return {
    allow: READING_TOOLS.map((tool) => `Mcp(${SERVER_NAME}:${tool})`),
    deny: [
      ...EXTERNAL_COMMANDS.filter((command) => !command.includes(' ')).map((command) => `Shell(${command})`),
      'Read(**/.agentrelay/**)',
      'Write(**/.agentrelay/**)',
    ],
  };
}

import { join } from 'node:path';
import { type Client, SERVER_NAME } from './client';
import { JsonClientFile } from './json-client-file';
import { readJsonEntry } from './read-json-entry';
import { EXTERNAL_COMMANDS, READING_TOOLS } from './rules';

/** Cursor: MCP servers in `~/.cursor/mcp.json`; permissions of its command line in `~/.cursor/cli-config.json`. */
export const cursor: Client = {
  name: 'cursor',
  title: 'Cursor',
  folder: (userHome) => join(userHome, '.cursor'),
  files: ({ userHome, entry, rules, force }) => [
    new JsonClientFile(serversFile(userHome), {
      member: { keys: ['mcpServers'], name: SERVER_NAME, value: { ...entry }, replace: force },
    }),
    ...(rules
      ? [
          new JsonClientFile(join(userHome, '.cursor/cli-config.json'), {
            lists: { keys: ['permissions'], lists: permissions() },
          }),
        ]
      : []),
  ],
  entryIn: (userHome) => readJsonEntry(serversFile(userHome)),
};

function serversFile(userHome: string): string {
  return join(userHome, '.cursor/mcp.json');
}

/**
 * What is on neither list is asked about, so that writes need no rule. A command is known by its first word alone: test
 * runners are not allowed, because the same word runs everything else, and `git` and `npm` are not denied.
 */
function permissions(): Record<'allow' | 'deny', string[]> {
  return {
    allow: ['Read(**)', ...READING_TOOLS.map((tool) => `Mcp(${SERVER_NAME}:${tool})`)],
    deny: [
      ...EXTERNAL_COMMANDS.filter((command) => !command.includes(' ')).map((command) => `Shell(${command})`),
      'Read(**/.agentrelay/**)',
    ],
  };
}

import { join } from 'node:path';
import { type Client, type ClientSetup, SERVER_NAME } from './client';
import { homePattern } from './home-pattern';
import { readJsonEntry } from './read-json-entry';
import { JsonClientFile } from './json-client-file';
import { EXTERNAL_COMMANDS, READING_TOOLS, TEST_COMMANDS, WRITING_TOOLS } from './rules';

/** Claude Code: user-wide MCP servers in `~/.claude.json`, permissions in `~/.claude/settings.json`. */
export const claudeCode: Client = {
  name: 'claude-code',
  title: 'Claude Code',
  folder: (userHome) => join(userHome, '.claude'),
  files: (setup) => [
    new JsonClientFile(stateFile(setup.userHome), {
      member: {
        keys: ['mcpServers'],
        name: SERVER_NAME,
        value: { type: 'stdio', ...setup.entry },
        replace: setup.force,
      },
    }),
    ...(setup.rules
      ? [
          new JsonClientFile(join(setup.userHome, '.claude/settings.json'), {
            lists: { keys: ['permissions'], lists: rules(setup) },
          }),
        ]
      : []),
  ],
  entryIn: (userHome) => readJsonEntry(stateFile(userHome)),
};

function stateFile(userHome: string): string {
  return join(userHome, '.claude.json');
}

/** Deny is looked at first, then ask, then allow. */
function rules(setup: ClientSetup): Record<'allow' | 'ask' | 'deny', string[]> {
  return {
    allow: ['Read(./**)', ...TEST_COMMANDS.map((command) => `Bash(${command} *)`), ...READING_TOOLS.map(toolRule)],
    ask: ['Edit', 'Write', ...WRITING_TOOLS.map(toolRule)],
    deny: [...EXTERNAL_COMMANDS.map((command) => `Bash(${command} *)`), `Read(${homePattern(setup, '~/', '//')}/**)`],
  };
}

function toolRule(tool: string): string {
  return `mcp__${SERVER_NAME}__${tool}`;
}

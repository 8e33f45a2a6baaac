import { join } from 'node:path';
import { type Client, type ClientAnswer, type ClientSetup, SERVER_NAME, type Surroundings } from './client';
import { claudeObjections } from './claude-code-objections';
import { homePattern } from './home-path-glob';
import { readJsonEntry } from './read-json-entry';
import { JsonClientFile } from './json-client-file';
import { EXTERNAL_COMMANDS, READING_TOOLS } from './rules';

/**
 * Claude Code: user-wide MCP servers in `~/.claude.json`, permissions in `~/.claude/settings.json`; with CLAUDE_CONFIG_DIR
 * both in that folder.
 */
export const claudeCode: Client = {
  name: 'claude-code',
  title: 'Claude Code',
  program: 'claude',
  traces: (where) => [configFolder(where), stateFile(where)],
  files: (setup) => [
    new JsonClientFile(stateFile(setup), {
      member: {
        keys: ['mcpServers'],
        name: SERVER_NAME,
        value: { type: 'stdio', ...setup.entry },
        replace: setup.force,
      },
    }),
    ...(setup.rules
      ? [new JsonClientFile(settingsFile(setup), { lists: { keys: ['permissions'], lists: rules(setup) } })]
      : []),
  ],
  entryIn: (where) => readJsonEntry(stateFile(where)),
  objections: (where) => claudeObjections(where, stateFile(where), settingsFile(where)),
  question: { args: ['mcp', 'get', SERVER_NAME], read: readAnswer },
};

function configFolder({ userHome, environment }: Surroundings): string {
  return environment['CLAUDE_CONFIG_DIR'] || join(userHome, '.claude');
}

function stateFile({ userHome, environment }: Surroundings): string {
  return join(environment['CLAUDE_CONFIG_DIR'] || userHome, '.claude.json');
}

function settingsFile(where: Surroundings): string {
  return join(configFolder(where), 'settings.json');
}

/** Deny is looked at first, then ask, then allow. */
function rules(setup: ClientSetup): Record<'allow' | 'deny', string[]> {
  const ownFiles = homePattern(setup, '~/', '//');
  return {
    allow: READING_TOOLS.map((tool) => `mcp__${SERVER_NAME}__${tool}`),
    deny: [...EXTERNAL_COMMANDS.map((command) => `Bash(${command} *)`), `Read(${ownFiles}/**)`, `Edit(${ownFiles}/**)`],
  };
}

/** What `claude mcp get` prints: a line for each of scope, status, issue, command and arguments. */
function readAnswer({ code, stdout }: { code: number; stdout: string }): ClientAnswer | undefined {
  if (code !== 0) return { fault: 'it knows no server of that name' };
  const line = (name: string): string | undefined => new RegExp(`^ +${name}:[ \\t]*(.*)$`, 'm').exec(stdout)?.[1];
  const [status, command, args] = [line('Status'), line('Command'), line('Args')];
  if (status === undefined || command === undefined) return undefined;
  const isConnected = status.includes('Connected');
  const issue = line('Issue');
  const fault = isConnected ? undefined : [status.replace(/^\W+/, ''), issue].filter(Boolean).join(': ');
  return { command, ...(args !== undefined && { args }), ...(fault !== undefined && { fault }) };
}

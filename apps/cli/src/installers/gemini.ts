import { join } from 'node:path';
import { type Client, type ClientAnswer, type Objection, SERVER_NAME, type Surroundings } from './client';
import { JsonClientFile } from './json-client-file';
import { jsonAt, names, projectEntries, unreadableFor } from './objections';
import { OwnClientFile } from './own-client-file';
import { readJsonEntry } from './read-json-entry';
import { EXTERNAL_COMMANDS, READING_TOOLS } from './rules';

/** Gemini CLI: MCP servers in `~/.gemini/settings.json`, rules in `~/.gemini/policies/`; GEMINI_CLI_HOME stands for the home. */
export const gemini: Client = {
  name: 'gemini',
  title: 'Gemini CLI',
  program: 'gemini',
  traces: (where) => [configFolder(where)],
  files: (setup) => [
    new JsonClientFile(settingsFile(setup), {
      member: { keys: ['mcpServers'], name: SERVER_NAME, value: { ...setup.entry }, replace: setup.force },
    }),
    ...(setup.rules ? [new OwnClientFile(join(configFolder(setup), 'policies/agentrelay.toml'), policy())] : []),
  ],
  entryIn: (where) => readJsonEntry(settingsFile(where)),
  objections,
  question: { args: ['mcp', 'list'], read: readAnswer },
};

function configFolder({ userHome, environment }: Surroundings): string {
  return join(environment['GEMINI_CLI_HOME'] || userHome, '.gemini');
}

function settingsFile(where: Surroundings): string {
  return join(configFolder(where), 'settings.json');
}

function objections(where: Surroundings): Objection[] {
  const path = settingsFile(where);
  const isExcluded = names(jsonAt(path, ['mcp', 'excluded'])).includes(SERVER_NAME);
  const allowed = jsonAt(path, ['mcp', 'allowed']);
  const isLeftOut = Array.isArray(allowed) && !allowed.includes(SERVER_NAME);
  const next = `Mend mcp in ${path}.`;
  return [
    ...unreadableFor(path, {
      title: 'Gemini CLI',
      comments: true,
      byteOrderMark: false,
      consequence: 'it does not start',
    }),
    ...(isExcluded ? [{ breaks: true, message: `${path} names ${SERVER_NAME} in mcp.excluded`, next }] : []),
    ...(isLeftOut ? [{ breaks: true, message: `${path} does not name ${SERVER_NAME} in mcp.allowed`, next }] : []),
    ...projectEntries(where, '.gemini/settings.json', path),
  ];
}

/** Where nobody can be asked, Gemini CLI leaves out what it would ask about: these four are there. */
function policy(): string {
  const list = (texts: readonly string[]): string => `[${texts.map((text) => JSON.stringify(text)).join(', ')}]`;
  return `${[
    '# Written by agentrelay install, removed by agentrelay install --uninstall.',
    '[[rule]]',
    `mcpName = "${SERVER_NAME}"`,
    `toolName = ${list(READING_TOOLS)}`,
    'decision = "allow"',
    'priority = 100',
    '',
    '[[rule]]',
    'toolName = "run_shell_command"',
    `commandPrefix = ${list(EXTERNAL_COMMANDS)}`,
    'decision = "deny"',
    'priority = 100',
    'denyMessage = "The rules of agentrelay install deny commands whose effects leave the machine."',
  ].join('\n')}\n`;
}

/** What `gemini mcp list` prints, on stderr: a line a server, with what became of it. */
function readAnswer({ stdout, stderr }: { stdout: string; stderr: string }): ClientAnswer | undefined {
  const said = `${stdout}\n${stderr}`.replaceAll(/\u001b\[\d*m/g, '');
  const line = new RegExp(`^\\W*${SERVER_NAME}: (.*) \\(stdio\\) - (\\w+)`, 'm').exec(said);
  if (line === null) return said.includes('No MCP servers') ? { fault: 'it knows no server of that name' } : undefined;
  const [, command = '', state = ''] = line;
  if (state === 'Connected') return { command: command.trim() };
  if (/untrusted/i.test(said)) return { note: 'Gemini CLI starts no servers in this folder before you trust it' };
  return { command: command.trim(), fault: state };
}

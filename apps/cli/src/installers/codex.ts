import { join } from 'node:path';
import { type Client, type ClientFile, type ClientSetup, SERVER_NAME } from './client';
import { readClientFile } from './client-files';
import { entryOf } from './entry';
import { OwnClientFile } from './own-client-file';
import { EXTERNAL_COMMANDS, READING_TOOLS, TEST_COMMANDS } from './rules';
import { TomlClientFile } from './toml-client-file';
import { unmarked } from './text-edits';
import { parseToml, tableAt } from './toml-document';

const TABLE = ['mcp_servers', SERVER_NAME];

/** Codex: MCP servers with the approval of their tools in `~/.codex/config.toml`, rules for commands in `~/.codex/rules/`. */
export const codex: Client = {
  name: 'codex',
  title: 'Codex',
  folder: (userHome) => join(userHome, '.codex'),
  files: (setup): ClientFile[] => [
    new TomlClientFile(configFile(setup.userHome), TABLE, block(setup), setup.force),
    ...(setup.rules ? [new OwnClientFile(join(setup.userHome, '.codex/rules/agentrelay.rules'), commandRules())] : []),
  ],
  entryIn: (userHome) => {
    const path = configFile(userHome);
    const text = readClientFile(path);
    return text === undefined ? undefined : entryOf(tableAt(parseToml(path, unmarked(text)), TABLE));
  },
};

function configFile(userHome: string): string {
  return join(userHome, '.codex/config.toml');
}

function block({ entry: { command, args, env }, rules }: ClientSetup): string {
  const table = TABLE.join('.');
  const lines = [`[${table}]`, `command = ${quoted(command)}`, `args = [${args.map(quoted).join(', ')}]`];
  if (rules) lines.push('default_tools_approval_mode = "prompt"');
  const variables = Object.entries(env);
  if (variables.length > 0) {
    lines.push('', `[${table}.env]`, ...variables.map(([name, value]) => `${name} = ${quoted(value)}`));
  }
  if (rules) for (const tool of READING_TOOLS) lines.push('', `[${table}.tools.${tool}]`, 'approval_mode = "approve"');
  return `${lines.join('\n')}\n`;
}

/** TOML's basic strings know every escape that JSON writes. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

function commandRules(): string {
  const rule = (command: string, decision: string): string =>
    `prefix_rule(pattern=[${command.split(' ').map(quoted).join(', ')}], decision="${decision}")`;
  return `${[
    '# Written by agentrelay install, removed by agentrelay install --uninstall.',
    ...TEST_COMMANDS.map((command) => rule(command, 'allow')),
    ...EXTERNAL_COMMANDS.map((command) => rule(command, 'forbidden')),
  ].join('\n')}\n`;
}

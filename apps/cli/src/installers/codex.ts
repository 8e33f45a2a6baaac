import { join } from 'node:path';
import {
  type Client,
  type ClientAnswer,
  type ClientFile,
  type ClientSetup,
  SERVER_NAME,
  type Surroundings,
} from './client';
import { readClientFile } from './client-files';
import { codexObjections } from './codex-objections';
import { entryOf } from './entry';
import { OwnClientFile } from './own-client-file';
import { EXTERNAL_COMMANDS, READING_TOOLS } from './rules';
import { TomlClientFile } from './toml-client-file';
import { unmarked } from './text-edits';
import { parseToml, type Toml, tableAt } from './toml-document';

const TABLE = ['mcp_servers', SERVER_NAME];

/**
 * Codex: MCP servers in `~/.codex/config.toml`, rules for commands in `~/.codex/rules/`; CODEX_HOME moves both. It runs tools
 * that only read unasked, and asks about the others, by what the server says of them.
 */
export const codex: Client = {
  name: 'codex',
  title: 'Codex',
  program: 'codex',
  traces: (where) => [codexHome(where)],
  files: (setup): ClientFile[] => [
    new TomlClientFile(configFile(setup), TABLE, block(setup), setup.force, RETIRED),
    ...(setup.rules ? [new OwnClientFile(join(codexHome(setup), 'rules/agentrelay.rules'), commandRules())] : []),
  ],
  entryIn: (where) => {
    const path = configFile(where);
    const text = readClientFile(path);
    return text === undefined ? undefined : entryOf(tableAt(parseToml(path, unmarked(text)), TABLE));
  },
  objections: (where) => codexObjections(where, configFile(where), TABLE),
  question: { args: ['mcp', 'get', SERVER_NAME, '--json'], read: readAnswer },
};

/** What earlier versions wrote into our table: it asked again about what the user had allowed. */
const RETIRED: Toml = {
  default_tools_approval_mode: 'prompt',
  tools: Object.fromEntries(READING_TOOLS.map((tool) => [tool, { approval_mode: 'approve' }])),
};

function codexHome({ userHome, environment }: Surroundings): string {
  return environment['CODEX_HOME'] || join(userHome, '.codex');
}

function configFile(where: Surroundings): string {
  return join(codexHome(where), 'config.toml');
}

function block({ entry: { command, args, env } }: ClientSetup): string {
  const table = TABLE.join('.');
  const lines = [`[${table}]`, `command = ${quoted(command)}`, `args = [${args.map(quoted).join(', ')}]`];
  const variables = Object.entries(env);
  if (variables.length > 0) {
    lines.push('', `[${table}.env]`, ...variables.map(([name, value]) => `${name} = ${quoted(value)}`));
  }
  return `${lines.join('\n')}\n`;
}

/** TOML's basic strings know every escape that JSON writes. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

function commandRules(): string {
  const words = (command: string): string => command.split(' ').map(quoted).join(', ');
  return `${[
    '# Written by agentrelay install, removed by agentrelay install --uninstall.',
    ...EXTERNAL_COMMANDS.map((command) => `prefix_rule(pattern=[${words(command)}], decision="forbidden")`),
  ].join('\n')}\n`;
}

/** What `codex mcp get --json` prints; of a server that is turned off it gives the whole entry too. */
function readAnswer({ code, stdout }: { code: number; stdout: string }): ClientAnswer | undefined {
  if (code !== 0) return { fault: 'it knows no server of that name' };
  const start = stdout.indexOf('{');
  if (start < 0) return undefined;
  const { enabled, disabled_reason, transport } = JSON.parse(stdout.slice(start)) as {
    enabled: boolean;
    disabled_reason: string | null;
    transport: { command?: string; args?: string[] };
  };
  const fault = enabled ? undefined : (disabled_reason ?? 'the server is turned off (enabled = false)');
  return {
    ...(transport.command !== undefined && { command: transport.command }),
    ...(transport.args !== undefined && { args: transport.args.join(' ') }),
    ...(fault !== undefined && { fault }),
  };
}

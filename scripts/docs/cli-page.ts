import type { Argument, Command, Option } from 'commander';
import { buildProgram } from '../../apps/cli/src/program';
import { table } from './table';

/** `docs/cli.md`: every command of `agentrelay` with its arguments and options. */
export function cliPage(): string {
  return `# The command line

Generated from the code by \`npm run docs\`; \`npm run check\` fails when it is out of date.

\`agentrelay\` keeps its files in \`~/.agentrelay\` (\`AGENTRELAY_HOME\` moves them), readable by you only: \`config.json\` holds the
relay's address and your key, \`trust.yaml\` whom you trust with what, \`ledger.jsonl\` what your MCP server was asked to do,
\`settings.json\` what \`install\` wrote. \`AGENTRELAY_URL\` and \`AGENTRELAY_API_KEY\` go before \`config.json\`. An administrator's
token comes from \`RELAY_ADMIN_TOKEN\` or \`AGENTRELAY_ADMIN_TOKEN\`, or is typed; it is never an argument.

With \`--json\` a command prints one JSON document. Exit codes: 0 done, 1 failed (the reason and what to do next are on stderr),
2 wrong usage. Colours appear on a terminal unless \`NO_COLOR\` is set. \`HTTPS_PROXY\`, \`HTTP_PROXY\` and \`NO_PROXY\` hold, never for this
machine.

What the relay says stands in quotes, what teammates wrote behind \`│\`. \`send\`, \`reply\` and \`complete\` keep the idempotency key of a
call whose outcome is unknown for ten minutes, in \`pending/\`: run the same command again, and it is stored once. git is only read
from: no hook, filter, external diff or fetch is run, and nothing that a teammate sent is applied.

While threads move, a list that is read page by page can miss one. \`inbox\` asks, after the last page, for what moved since the first
(\`as_of\`, as \`updated_since\`), and so can any client.

## What \`install\` writes

| Client | MCP entry | Rules |
| --- | --- | --- |
| Claude Code | \`~/.claude.json\` | \`permissions\` in \`~/.claude/settings.json\` |
| Codex | \`~/.codex/config.toml\` | \`~/.codex/rules/agentrelay.rules\` |
| Cursor | \`~/.cursor/mcp.json\` | \`permissions\` in \`~/.cursor/cli-config.json\`, for Cursor's command line |
| Gemini CLI | \`~/.gemini/settings.json\` | \`~/.gemini/policies/agentrelay.toml\` |
| Copilot CLI | \`~/.copilot/mcp-config.json\` | none: it keeps no such file |

Where \`CLAUDE_CONFIG_DIR\`, \`CODEX_HOME\`, \`CURSOR_CONFIG_DIR\` or \`XDG_CONFIG_HOME\`, \`GEMINI_CLI_HOME\` or \`COPILOT_HOME\` move a
client's files, \`install\`, \`doctor\` and \`--uninstall\` go there. The rules speak of two things only: our tools that read are
allowed, and commands whose effects leave the machine are denied, as is reading and changing \`~/.agentrelay\` where the client has
rules for files. Everything else is asked about as you have it. Rules that an earlier version wrote and this one does not come out
with the next \`install\`; all of them with \`--no-rules\`.

The entry names this installation by its absolute path and holds no secret. Everything else in a file stays byte for byte, and a
rule that you put on another list stays there. What changes is shown before it is written. The file as it was is kept beside it
(\`.agentrelay-backup\`) until \`--uninstall\`, which leaves everything as it was before, folders included. A file that does not
parse is left alone. [clients.md](clients.md) says how each client behaves.

${buildProgram()
  .commands.map((command) => section(command, []))
  .join('\n\n')}
`;
}

function section(command: Command, path: readonly string[]): string {
  const names = [...path, command.name()];
  const rows = [...command.registeredArguments.map(argumentRow), ...command.options.map(optionRow)];
  const usage = command.registeredArguments.map((argument) => ` ${nameOf(argument)}`).join('');
  return [
    `## \`agentrelay ${names.join(' ')}${usage}\``,
    sentence(command.description()),
    ...(rows.length === 0 ? [] : [table(['', 'Meaning'], rows)]),
    ...command.commands.map((sub) => section(sub, names)),
  ].join('\n\n');
}

function nameOf(argument: Argument): string {
  return argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;
}

function argumentRow(argument: Argument): string[] {
  return [`\`${nameOf(argument)}\``, withChoices(argument.description, argument.argChoices)];
}

function optionRow({ flags, description, argChoices, defaultValue, defaultValueDescription }: Option): string[] {
  const byDefault =
    defaultValue === undefined || defaultValue === true
      ? ''
      : ` (default: ${defaultValueDescription ?? String(defaultValue)})`;
  return [`\`${flags}\``, `${withChoices(description, argChoices)}${byDefault}`];
}

function withChoices(description: string, choices: readonly string[] | undefined): string {
  const list = choices?.map((choice) => `\`${choice}\``).join(', ');
  return [description, list].filter(Boolean).join(': ');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

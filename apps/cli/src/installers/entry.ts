import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { McpEntry } from './client';

/** A program that package runners fetch on the fly and throw away: no place for a client to start it from. */
const THROWN_AWAY = /[\\/]_npx[\\/]/;

/**
 * How a client starts the MCP server of this installation: this Node, this program, `mcp`.
 * @throws Error when the program stands where it will not stay
 */
export function entryOfThisProgram(agentRelayHome: string, userHome = homedir()): McpEntry {
  const program = resolve(process.argv[1] ?? '');
  if (THROWN_AWAY.test(program)) {
    throw new Error(`${program} is in a package runner's cache. Install the package, then run install from there.`);
  }
  const isDefault = resolve(agentRelayHome) === join(userHome, '.agentrelay');
  return {
    command: process.execPath,
    args: [program, 'mcp'],
    env: isDefault ? {} : { AGENTRELAY_HOME: resolve(agentRelayHome) },
  };
}

/** What a client's file says, when it is an entry for a program. */
export function entryOf(value: unknown): McpEntry | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { command, args = [], env = {} } = value as Partial<McpEntry>;
  if (typeof command !== 'string' || !Array.isArray(args)) return undefined;
  return { command, args, env };
}

/** Why the entry starts nothing, or undefined when what it names is there. */
export function entryFault({ command, args }: McpEntry, path = process.env['PATH']): string | undefined {
  if (command.includes('/') && !existsSync(command)) return `${command} is not there`;
  if (!command.includes('/') && programOnPath(command, path) === undefined) return `${command} is not on PATH`;
  const [script] = args;
  if (script?.startsWith('/') === true && !existsSync(script)) return `${script} is not there`;
  return undefined;
}

/** Where a program is that is started by its name alone; undefined when no folder of PATH has it. */
export function programOnPath(name: string, path = process.env['PATH']): string | undefined {
  const candidates = (path ?? '').split(delimiter).map((folder) => join(folder, name));
  return candidates.find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

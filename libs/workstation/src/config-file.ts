import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { writeFileAtomically } from './private-file';

/** `config.json`: which relay this workstation speaks to, and as whom (mcp.md, "Command line"). */
export interface WorkstationConfig {
  relay_url: string;
  agent_handle: string;
  agent_id: string;
  api_key: string;
  default_session_id?: string | null;
}

const MEMBERS = ['relay_url', 'agent_handle', 'agent_id', 'api_key'] as const;
const OTHERS_MAY_READ = 0o077;

/** A config file that cannot be used; the message says why and what to do. */
export class ConfigFileError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConfigFileError';
  }
}

/** The folder of this workstation's AgentRelay files: `AGENTRELAY_HOME`, else `~/.agentrelay`. */
export function agentRelayHome(environment: Readonly<Record<string, string | undefined>>): string {
  return environment['AGENTRELAY_HOME'] || join(homedir(), '.agentrelay');
}

/**
 * Reads `config.json` in `home`, or undefined when there is none.
 * @throws ConfigFileError when others can read it or it is not a config
 */
export function readConfigFile(home: string): WorkstationConfig | undefined {
  const path = join(home, 'config.json');
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (process.platform !== 'win32' && (stats.mode & OTHERS_MAY_READ) !== 0) {
    throw new ConfigFileError(`${path} holds a key and can be read by others; run: chmod 600 ${path}`);
  }
  let config: unknown;
  try {
    config = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new ConfigFileError(`${path} is not valid JSON; mend it or join again.`, { cause });
  }
  const missing = MEMBERS.find((member) => typeof (config as Record<string, unknown> | null)?.[member] !== 'string');
  if (missing !== undefined) throw new ConfigFileError(`${path} lacks ${missing}; join again.`);
  return config as WorkstationConfig;
}

/** Writes `config.json` into `home`, readable by its owner only. */
export function writeConfigFile(home: string, config: WorkstationConfig): void {
  writeFileAtomically(join(home, 'config.json'), `${JSON.stringify(config, null, 2)}\n`);
}

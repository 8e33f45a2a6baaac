import { homedir } from 'node:os';
import { join } from 'node:path';
import { readTextFile, refuseOthers, refuseUnwritable, writeFileAtomically, statFile } from './private-file';
import { WorkstationFileError } from './workstation-file-error';

/** `config.json`: which relay this workstation speaks to, and as whom (mcp.md, "Command line"). */
export interface WorkstationConfig {
  relay_url: string;
  agent_handle: string;
  agent_id: string;
  api_key: string;
  default_session_id?: string | null;
}

const MEMBERS = ['relay_url', 'agent_handle', 'agent_id', 'api_key'] as const;
const JOIN_AGAIN = "mend it, or join again: agentrelay join '<link>' --force";
const OTHERS_MAY_DO_ANYTHING = 0o077;

/** The folder of this workstation's AgentRelay files: `AGENTRELAY_HOME`, else `~/.agentrelay`. */
export function agentRelayHome(environment: Readonly<Record<string, string | undefined>>): string {
  return environment['AGENTRELAY_HOME'] || join(homedir(), '.agentrelay');
}

/**
 * Reads `config.json` in `home`, or undefined when there is none.
 * @throws WorkstationFileError when others can read it or it is not a config
 */
export function readConfigFile(home: string): WorkstationConfig | undefined {
  const path = join(home, 'config.json');
  const stats = statFile(path);
  if (stats === undefined) return undefined;
  refuseOthers(path, stats, OTHERS_MAY_DO_ANYTHING, 'holds a key and can be read');
  let config: unknown;
  try {
    config = JSON.parse(readTextFile(path) ?? '');
  } catch (cause) {
    if (cause instanceof WorkstationFileError) throw cause;
    throw new WorkstationFileError(path, `is not valid JSON; ${JOIN_AGAIN}`, undefined, undefined, { cause });
  }
  const missing = MEMBERS.find((member) => typeof (config as Record<string, unknown> | null)?.[member] !== 'string');
  if (missing !== undefined) throw new WorkstationFileError(path, `lacks ${missing}; ${JOIN_AGAIN}`);
  return config as WorkstationConfig;
}

/**
 * Makes sure that `config.json` can be written into `home`, making the folder when missing.
 * @throws WorkstationFileError when it cannot
 */
export function makeRoomForConfig(home: string): void {
  refuseUnwritable(join(home, 'config.json'));
}

/**
 * Writes `config.json` into `home`, whole or not at all, readable by its owner only.
 * @throws WorkstationFileError when it cannot be written
 */
export function writeConfig(home: string, config: WorkstationConfig): void {
  const { relay_url, agent_handle, agent_id, api_key, default_session_id = null } = config;
  const members = { relay_url, agent_handle, agent_id, api_key, default_session_id };
  writeFileAtomically(join(home, 'config.json'), `${JSON.stringify(members, null, 2)}\n`);
}

import { makeRoomForConfig, readConfigFile, writeConfig, type WorkstationConfig } from '@agentrelay/workstation';
import { CommandFailed } from './command-failed';
import { confirm } from './prompts';
import { home } from './relay';

/**
 * Makes sure, before a key is issued that is shown only once, that it can be kept, and that no other agent's key gives
 * way unasked. @throws CommandFailed, WorkstationFileError
 */
export async function makeRoomForKey(as: string | undefined, url: string, force: boolean): Promise<void> {
  const folder = home();
  makeRoomForConfig(folder);
  const present = force ? undefined : readConfigFile(folder);
  if (present === undefined || (present.agent_handle === as && present.relay_url === url)) return;
  const connected = `This workstation is connected as ${present.agent_handle} at ${present.relay_url}`;
  if (await confirm(`${connected}. Replace that?`)) return;
  throw new CommandFailed(
    `${connected}; nothing was changed.`,
    'Replace it with --force, or keep both: set AGENTRELAY_HOME to another folder.',
  );
}

/** Keeps the key of a new agent. */
export function connect(url: string, agent: { agent_id: string; handle: string; api_key: string }): WorkstationConfig {
  const config = { relay_url: url, agent_handle: agent.handle, agent_id: agent.agent_id, api_key: agent.api_key };
  writeConfig(home(), config);
  return config;
}

import { agentRelayHome, readConfigFile } from './config-file';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Which relay to speak to, and with which key. */
export interface Connection {
  url: string;
  apiKey: string;
}

/** Thrown where a tool needs a relay and none is configured; the message is one line that says how to join. */
export class NotConfigured extends Error {}

/**
 * The connection of this process: `AGENTRELAY_URL` and `AGENTRELAY_API_KEY` where set, else `config.json`.
 * @throws NotConfigured, WorkstationFileError
 */
export function connectionOf(environment: Environment): Connection {
  const home = agentRelayHome(environment);
  const givenUrl = environment['AGENTRELAY_URL'];
  const givenKey = environment['AGENTRELAY_API_KEY'];
  const config = givenUrl && givenKey ? undefined : readConfigFile(home);
  const url = givenUrl || config?.relay_url;
  const apiKey = givenKey || config?.api_key;
  if (!url || !apiKey) {
    throw new NotConfigured(
      `AgentRelay is not connected yet: paste the line that your relay's administrator gave you (agentrelay join '<link>'), or set AGENTRELAY_URL and AGENTRELAY_API_KEY.`,
    );
  }
  return { url, apiKey };
}

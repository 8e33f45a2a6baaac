import { join } from 'node:path';
import { keyFault, relayUrlFault } from '@agentrelay/protocol';
import { agentRelayHome, readConfigFile } from './config-file';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Which relay to speak to, and with which key. */
export interface Connection {
  url: string;
  apiKey: string;
}

/** Thrown where a tool needs a relay and none is configured; the message is one line that says how to join. */
export class NotConfigured extends Error {}

/** What is configured cannot be sent: the message names each value that is wrong and where it stands, never the value. */
export class UnusableConnection extends NotConfigured {
  constructor(readonly faults: readonly string[]) {
    super(`${faults.join('; ')}. Nothing was sent.`);
    this.name = 'UnusableConnection';
  }
}

/** A value and where the user can change it. */
interface Given {
  value: string;
  where: string;
}

/**
 * The connection of this process: `AGENTRELAY_URL` and `AGENTRELAY_API_KEY` where set, else `config.json`, without white
 * space around them. @throws NotConfigured, UnusableConnection, WorkstationFileError
 */
export function connectionOf(environment: Environment): Connection {
  const givenUrl = given(environment, 'AGENTRELAY_URL');
  const givenKey = given(environment, 'AGENTRELAY_API_KEY');
  const home = agentRelayHome(environment);
  const config = givenUrl && givenKey ? undefined : readConfigFile(home);
  const inFile = (member: string, value = ''): Given => ({
    value: value.trim(),
    where: `${member} in ${join(home, 'config.json')}`,
  });
  const url = givenUrl ?? inFile('relay_url', config?.relay_url);
  const key = givenKey ?? inFile('api_key', config?.api_key);
  if (url.value === '' || key.value === '') {
    throw new NotConfigured(
      `AgentRelay is not connected yet: paste the line that your relay's administrator gave you (agentrelay join '<link>'), or set AGENTRELAY_URL and AGENTRELAY_API_KEY.`,
    );
  }
  const faults = [faultOf(url, relayUrlFault), faultOf(key, keyFault)].filter((fault) => fault !== undefined);
  if (faults.length > 0) throw new UnusableConnection(faults);
  return { url: url.value.replace(/\/+$/, ''), apiKey: key.value };
}

/** A variable that says something, without the white space that a shell or a file put around it. */
function given(environment: Environment, name: string): Given | undefined {
  const value = environment[name]?.trim();
  return value ? { value, where: name } : undefined;
}

function faultOf({ value, where }: Given, judge: (value: string) => string | undefined): string | undefined {
  const fault = judge(value);
  return fault === undefined ? undefined : `${where} ${fault}`;
}

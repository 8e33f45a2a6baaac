import { RelayClient } from '@agentrelay/relay-client';
import { agentRelayHome, connectionOf, readConfigFile } from '@agentrelay/workstation';
import { CommandFailed } from './command-failed';

/** A command is not waited for as long as a tool call. */
const DEADLINE_MS = 20_000;

/** The folder of this workstation's files. */
export function home(): string {
  return agentRelayHome(process.env);
}

/** The relay, as this workstation's agent. @throws NotConfigured, WorkstationFileError */
export function openRelay(): RelayClient {
  return new RelayClient({ ...connectionOf(process.env), deadlineMs: DEADLINE_MS });
}

/** Which relay an administrator speaks to. @throws CommandFailed when nothing says */
export function relayUrl(given: string | undefined): string {
  const url = given ?? (process.env['AGENTRELAY_URL'] || readConfigFile(home())?.relay_url);
  if (url !== undefined) return url;
  throw new CommandFailed('It is not known which relay this is for.', 'Say so: --relay https://relay.acme.dev');
}

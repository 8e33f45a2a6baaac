import { homedir } from 'node:os';
import { type Client, clientsFound, entryFault } from '../installers';
import { failed } from './config-check';
import type { Finding } from './findings';

/** Whether each coding agent that is here would start an installed program. */
export function checkClients(): Finding[] {
  const found = clientsFound(homedir());
  if (found.length > 0) return found.map(checkClient);
  return [{ check: 'clients', state: 'warning', message: 'there is no coding agent that install knows' }];
}

export function checkClient(client: Client): Finding {
  const check = `client ${client.name}`;
  const install = `agentrelay install --client ${client.name}`;
  try {
    const entry = client.entryIn(homedir());
    if (entry === undefined)
      return { check, state: 'warning', message: 'not connected', next: `Connect it: ${install}` };
    const fault = entryFault(entry);
    if (fault !== undefined)
      return { check, state: 'failed', message: fault, next: `Connect it anew: ${install} --force` };
    return { check, state: 'ok', message: `starts ${[entry.command, ...entry.args].join(' ')}` };
  } catch (error) {
    return failed(check, error, undefined);
  }
}

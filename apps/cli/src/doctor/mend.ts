import { chmodSync, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { agentRelayHome } from '@agentrelay/workstation';
import { connectClients } from '../connect-clients';
import { clientsFound, recordOf } from '../installers';
import { checkClient } from './clients-check';
import { isOpenToOthers } from './config-check';

const PRIVATE_FILES = ['config.json', 'settings.json', 'trust.yaml', 'ledger.jsonl'];

/** Mends what needs no decision of the user: files that others can read, and our own entries for programs that moved. */
export function mend(): string[] {
  const home = agentRelayHome(process.env);
  const closed = [...close(home, 0o700), ...PRIVATE_FILES.flatMap((name) => close(join(home, name), 0o600))];
  const broken = clientsFound(homedir()).filter(
    (client) => checkClient(client).state === 'failed' && recordOf(home, client.name).length > 0,
  );
  if (broken.length > 0) {
    const names = broken.map(({ name }) => name);
    connectClients({ names, userHome: homedir(), dryRun: false, uninstall: false, rules: true, force: true });
  }
  return [...closed, ...broken.map(({ title }) => `${title} starts this program`)];
}

function close(path: string, mode: number): string[] {
  if (!existsSync(path) || !isOpenToOthers(path)) return [];
  chmodSync(path, mode);
  return [`${path} is readable by you only`];
}

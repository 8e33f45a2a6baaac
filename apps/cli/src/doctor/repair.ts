import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { agentRelayHome } from '@agentrelay/workstation';
import { connectClients } from '../connect-clients';
import { type Client, clientsFound, entryFault, recordOf, surroundings } from '../installers';
import { failed, isOpenToOthers } from './config-check';
import type { Finding } from './findings';

const PRIVATE_FILES = ['config.json', 'settings.json', 'trust.yaml', 'ledger.jsonl'];

interface Mending {
  mended: string[];
  /** What could not be mended, beside what the checks find. */
  failures: Finding[];
}

/**
 * Mends what needs no decision of the user: files that others can read, and our own entries for programs that moved. One
 * that cannot be mended keeps none of the others from it.
 */
export function mend(): Mending {
  const home = agentRelayHome(process.env);
  const mending: Mending = { mended: [], failures: [] };
  const attempt = (check: string, act: () => string | undefined): void => {
    try {
      const what = act();
      if (what !== undefined) mending.mended.push(what);
    } catch (error) {
      mending.failures.push(failed(check, error, undefined));
    }
  };
  attempt('mend files', () => close(home, 0o700));
  for (const name of PRIVATE_FILES) attempt('mend files', () => close(join(home, name), 0o600));
  for (const client of clientsFound(surroundings())) attempt(`mend ${client.name}`, () => reconnect(home, client));
  return mending;
}

function close(path: string, mode: number): string | undefined {
  if (!existsSync(path) || !isOpenToOthers(path)) return undefined;
  chmodSync(path, mode);
  return `${path} is readable by you only`;
}

function reconnect(home: string, client: Client): string | undefined {
  if (!startsNothing(client)) return undefined;
  const record = recordOf(home, client.name);
  if (record.length === 0) return undefined;
  // The first file of a client holds the entry; another one is on record where rules were wanted.
  const rules = record.length > 1;
  const where = surroundings();
  const { trouble } = connectClients({
    names: [client.name],
    where,
    dryRun: false,
    uninstall: false,
    rules,
    force: true,
  });
  if (trouble !== undefined) throw trouble;
  return `${client.title} starts this program`;
}

/** A file that does not parse is the user's to mend, and the checks say so. */
function startsNothing(client: Client): boolean {
  try {
    const entry = client.entryIn(surroundings());
    return entry !== undefined && entryFault(entry) !== undefined;
  } catch {
    return false;
  }
}

import { existsSync } from 'node:fs';
import { claudeCode } from './claude-code';
import { type Client, CLIENT_NAMES, type ClientName } from './client';
import { codex } from './codex';
import { cursor } from './cursor';

const CLIENTS: Record<ClientName, Client> = { 'claude-code': claudeCode, codex, cursor };

export const ALL_CLIENTS: readonly Client[] = CLIENT_NAMES.map((name) => CLIENTS[name]);

/** The clients that this user seems to have. */
export function clientsFound(userHome: string): Client[] {
  return ALL_CLIENTS.filter((client) => existsSync(client.folder(userHome)));
}

export type { Client, ClientSetup } from './client';
export { backupOf } from './client-files';
export { entryFault, entryOfThisProgram } from './entry';
export { carryOut, planInstall, planUninstall } from './installer';
export { recordOf } from './install-record';
export { shownDiff } from './shown-diff';

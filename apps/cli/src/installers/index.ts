import { existsSync } from 'node:fs';
import { claudeCode } from './claude-code';
import { type Client, CLIENT_NAMES, type ClientName, type Surroundings } from './client';
import { codex } from './codex';
import { copilot } from './copilot';
import { cursor } from './cursor';
import { gemini } from './gemini';

const CLIENTS: Record<ClientName, Client> = { 'claude-code': claudeCode, codex, cursor, gemini, copilot };

export const ALL_CLIENTS: readonly Client[] = CLIENT_NAMES.map((name) => CLIENTS[name]);

/** The clients that this user seems to have. */
export function clientsFound(where: Surroundings): Client[] {
  return ALL_CLIENTS.filter((client) => client.traces(where).some((path) => existsSync(path)));
}

export {
  type Client,
  CLIENT_CHOICE,
  type ClientAnswer,
  type ClientName,
  type ClientSetup,
  type McpEntry,
  type Surroundings,
} from './client';
export { backupOf } from './client-files';
export { entryFault, entryOfThisProgram, programOnPath } from './entry';
export { type FileChange, type InstallPlan, planInstall, planUninstall } from './installer';
export { carryOut } from './carry-out';
export { InstallLock } from './install-lock';
export { foldersMade, recordOf } from './install-record';
export { rulesState } from './rules-state';
export { shownDiff } from './shown-diff';
export { surroundings } from './surroundings';

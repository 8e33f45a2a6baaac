import {
  ALL_CLIENTS,
  backupOf,
  carryOut,
  type Client,
  clientsFound,
  entryOfThisProgram,
  planInstall,
  planUninstall,
  shownDiff,
} from './installers';
import type { ClientName } from './installers/client';
import { CommandFailed } from './command-failed';
import { home } from './relay';

export interface ConnectOptions {
  /** Which clients; without it those that this user seems to have. */
  names: readonly ClientName[] | undefined;
  userHome: string;
  dryRun: boolean;
  uninstall: boolean;
  rules: boolean;
  force: boolean;
}

export interface Connected {
  client: Client;
  changes: { path: string; diff: string[]; backup: string | undefined }[];
}

/**
 * Connects or disconnects clients. Every plan is made before any is carried out, so that a file that is left alone stops
 * all of it. @throws CommandFailed, UnreadableClientFile, WorkstationFileError
 */
export function connectClients(options: ConnectOptions): Connected[] {
  const { names, userHome, dryRun, uninstall, rules, force } = options;
  const clients = names === undefined ? clientsFound(userHome) : ALL_CLIENTS.filter(({ name }) => names.includes(name));
  if (clients.length === 0) {
    throw new CommandFailed(
      `There is no coding agent of those that install knows in ${userHome}.`,
      'Name one: agentrelay install --client claude-code (or codex, cursor, all)',
    );
  }
  const agentRelayHome = home();
  const setup = { userHome, agentRelayHome, entry: entryOfThisProgram(agentRelayHome, userHome), rules, force };
  const plans = clients.map((client) => (uninstall ? planUninstall : planInstall)(client, setup));
  if (!dryRun) for (const plan of plans) carryOut(plan, agentRelayHome);
  return plans.map(({ client, changes }) => ({
    client,
    changes: changes.map((change) => ({
      path: change.path,
      diff: shownDiff(change),
      backup: dryRun || change.before === undefined ? undefined : backupOf(change.path),
    })),
  }));
}

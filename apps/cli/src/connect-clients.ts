import {
  ALL_CLIENTS,
  backupOf,
  carryOut,
  type Client,
  CLIENT_CHOICE,
  type ClientName,
  type ClientSetup,
  clientsFound,
  entryOfThisProgram,
  type FileChange,
  foldersMade,
  InstallLock,
  type InstallPlan,
  planInstall,
  planUninstall,
  shownDiff,
  type Surroundings,
} from './installers';
import { CommandFailed } from './command-failed';
import { home } from './relay';

export interface ConnectOptions {
  /** Which clients; without it those that this user seems to have. */
  names: readonly ClientName[] | undefined;
  where: Surroundings;
  dryRun: boolean;
  uninstall: boolean;
  rules: boolean;
  force: boolean;
  /** Called with what will change before anything does. */
  announce?: (planned: readonly Connected[]) => void;
}

export interface Connected {
  client: Client;
  changes: { path: string; diff: string[]; backup: string | undefined }[];
}

export interface Connection {
  /** What was changed, or with `dryRun` what would be. */
  connected: Connected[];
  /** Why not all of it was done. */
  trouble?: Error;
}

/**
 * Connects or disconnects clients. Every plan is made before any is carried out, so that a file that is left alone stops
 * all of it; what fails after that is told with what was done until then.
 * @throws CommandFailed, UnreadableClientFile, WorkstationFileError
 */
export function connectClients(options: ConnectOptions): Connection {
  const { names, where, dryRun, rules, force } = options;
  const clients = names === undefined ? clientsFound(where) : ALL_CLIENTS.filter(({ name }) => names.includes(name));
  if (clients.length === 0) {
    throw new CommandFailed(
      `There is no coding agent of those that install knows in ${where.userHome}.`,
      `Name one: agentrelay install --client ${CLIENT_CHOICE}`,
    );
  }
  const agentRelayHome = home();
  const entry = entryOfThisProgram(agentRelayHome, where.userHome);
  const setup = { ...where, agentRelayHome, entry, rules, force };
  if (dryRun) return { connected: plansFor(clients, setup, options).map((plan) => shown(plan, plan.changes)) };
  const lock = InstallLock.acquire(agentRelayHome);
  const made = new Set<string>();
  try {
    for (const folder of foldersMade(agentRelayHome)) made.add(folder);
    const plans = plansFor(clients, setup, options);
    options.announce?.(plans.map((plan) => shown(plan, plan.changes)));
    return carriedOut(plans, agentRelayHome, lock.foldersMade);
  } finally {
    lock.release([...made]);
  }
}

function plansFor(clients: readonly Client[], setup: ClientSetup, { uninstall }: ConnectOptions): InstallPlan[] {
  return clients.map((client) => (uninstall ? planUninstall : planInstall)(client, setup));
}

function carriedOut(plans: readonly InstallPlan[], agentRelayHome: string, homeFolders: readonly string[]): Connection {
  const connected: Connected[] = [];
  for (const plan of plans) {
    const done: FileChange[] = [];
    try {
      carryOut(plan, agentRelayHome, homeFolders, (change) => done.push(change));
      connected.push(shown(plan, done));
    } catch (error) {
      connected.push(shown(plan, done));
      return { connected, trouble: error instanceof Error ? error : new Error(String(error)) };
    }
  }
  return { connected };
}

function shown({ client }: InstallPlan, changes: readonly FileChange[]): Connected {
  return {
    client,
    changes: changes.map((change) => ({
      path: change.path,
      diff: shownDiff(change),
      backup: change.backup === undefined ? undefined : backupOf(change.path),
    })),
  };
}

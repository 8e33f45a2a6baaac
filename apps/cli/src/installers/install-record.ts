import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { linkTarget, readSettings, writeSettings } from '@agentrelay/workstation';
import { type Added, CLIENT_NAMES, type ClientName } from './client';
import { missingFolders } from './client-files';

/** What install put into one file, kept so that uninstall takes out exactly that. */
export interface FileRecord {
  path: string;
  /** Digest of the file as install left it: when it still is so, the insertions lead back to every byte. */
  sha256: string;
  /** Whether there was no file. */
  created: boolean;
  insertions: readonly { offset: number; text: string }[];
  added: Added;
}

const KEY = 'installed';
/** Folders, and settings.json itself, that were not there before the first install. */
const MADE_KEY = 'made_by_install';

/** The files that install wrote for a client. @throws WorkstationFileError */
export function recordOf(home: string, client: ClientName): FileRecord[] {
  const installed = readSettings(home)[KEY] as Partial<Record<ClientName, FileRecord[]>> | undefined;
  return installed?.[client] ?? [];
}

/** The folders that install made, outermost first. @throws WorkstationFileError */
export function foldersMade(home: string): string[] {
  return made(readSettings(home)).filter((path) => path !== settingsPath(home));
}

/**
 * Keeps what is on record for a client from now on, and which folders were made. When nothing is on record any more,
 * settings.json says nothing of install, and is removed when it was made for that alone. @throws WorkstationFileError
 */
export function keepRecord(
  home: string,
  client: ClientName,
  records: readonly FileRecord[],
  folders: readonly string[],
): void {
  const settings = readSettings(home);
  const installed = {
    ...(settings[KEY] as Partial<Record<ClientName, readonly FileRecord[]>> | undefined),
    [client]: records,
  };
  const some = CLIENT_NAMES.filter((name) => (installed[name] ?? []).length > 0).map((name) => [name, installed[name]]);
  const { [KEY]: _before, [MADE_KEY]: _made, ...others } = settings;
  const path = settingsPath(home);
  const isNew = !existsSync(path);
  const makings = [...new Set([...made(settings), ...folders, ...(isNew ? [...missingFolders(path), path] : [])])];
  if (some.length > 0)
    writeSettings(home, { ...others, [KEY]: Object.fromEntries(some) as object, [MADE_KEY]: makings });
  else if (Object.keys(others).length > 0 || !makings.includes(path)) writeSettings(home, others);
  else rmSync(linkTarget(path), { force: true });
}

function made(settings: Readonly<Record<string, unknown>>): string[] {
  return (settings[MADE_KEY] as string[] | undefined) ?? [];
}

function settingsPath(home: string): string {
  return join(home, 'settings.json');
}

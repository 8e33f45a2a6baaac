import { readSettings, writeSettings } from '@agentrelay/workstation';
import { type Added, CLIENT_NAMES, type ClientName } from './client';

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

/** The files that install wrote for a client. @throws WorkstationFileError */
export function recordOf(home: string, client: ClientName): FileRecord[] {
  const installed = readSettings(home)[KEY] as Partial<Record<ClientName, FileRecord[]>> | undefined;
  return installed?.[client] ?? [];
}

/** @throws WorkstationFileError */
export function keepRecord(home: string, client: ClientName, records: readonly FileRecord[]): void {
  const settings = readSettings(home);
  const installed = {
    ...(settings[KEY] as Partial<Record<ClientName, readonly FileRecord[]>> | undefined),
    [client]: records,
  };
  const some = CLIENT_NAMES.filter((name) => (installed[name] ?? []).length > 0).map((name) => [name, installed[name]]);
  const { [KEY]: _before, ...others } = settings;
  writeSettings(home, some.length === 0 ? others : { ...others, [KEY]: Object.fromEntries(some) as object });
}

import { rmdirSync } from 'node:fs';
import { missingFolders, writeClientFile } from './client-files';
import { foldersMade, keepRecord, recordOf } from './install-record';
import type { FileChange, InstallPlan } from './installer';

/**
 * Carries a plan out, telling each change as it is done. What is to be taken out again is on record before it is put in: a
 * crash in between leaves nothing that uninstall does not find.
 * @param homeFolders the folders of AgentRelay's own files that were made for this
 * @throws UnreadableClientFile, WorkstationFileError
 */
export function carryOut(
  { client, changes, records }: InstallPlan,
  agentRelayHome: string,
  homeFolders: readonly string[],
  written: (change: FileChange) => void,
): void {
  const paths = new Set(records.map(({ path }) => path));
  const old = recordOf(agentRelayHome, client.name);
  const going = old.filter(({ path }) => !paths.has(path));
  const folders = changes.flatMap(({ path, after }) => (after === undefined ? [] : missingFolders(path)));
  if (records.length + old.length > 0) {
    keepRecord(agentRelayHome, client.name, [...records, ...going], [...homeFolders, ...folders]);
  }
  for (const change of changes) {
    writeClientFile(change);
    written(change);
  }
  if (going.length === 0) return;
  const made = foldersMade(agentRelayHome);
  keepRecord(agentRelayHome, client.name, records, []);
  removeEmpty(made);
}

/** Removes those of the folders, given outermost first, in which nothing is left. */
export function removeEmpty(folders: readonly string[]): void {
  for (const folder of [...folders].sort((one, other) => other.length - one.length)) {
    try {
      rmdirSync(folder);
    } catch {
      // Somebody put something into it, or it is gone already.
    }
  }
}

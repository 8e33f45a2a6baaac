import { createHash } from 'node:crypto';
import type { Client, ClientFile, ClientSetup } from './client';
import { type FileWriting, readClientFile, refuseReadOnly } from './client-files';
import { type FileRecord, recordOf } from './install-record';
import { markOf, unmarked, withoutInsertions } from './text-edits';

/** What will happen to one file; undefined stands for no file. */
export interface FileChange extends FileWriting {
  /** What the file would hold if install alone had written it. */
  ours: string;
}

export interface InstallPlan {
  client: Client;
  /** Only files that change. */
  changes: FileChange[];
  /** What is on record once all is done. */
  records: FileRecord[];
}

/**
 * What connecting a client would change: its entry and its rules, or without `rules` the entry alone, and rules that are
 * in come out. Reads, and writes nothing. @throws UnreadableClientFile, WorkstationFileError
 */
export function planInstall(client: Client, setup: ClientSetup): InstallPlan {
  const old = recordOf(setup.agentRelayHome, client.name);
  const plan: InstallPlan = { client, changes: [], records: [] };
  const files = client.files(setup);
  for (const file of files) {
    const record = old.find(({ path }) => path === file.path);
    const before = readClientFile(file.path);
    if (before !== undefined && isUpToDate(file, unmarked(before), record)) {
      if (record !== undefined) plan.records.push(record);
      continue;
    }
    refuseReadOnly(file.path);
    const base = before === undefined || record === undefined ? before : reverted(file, before, record);
    const former = record === undefined ? '' : unmarked(before ?? '');
    const { text, insertions, added, replaced } = file.add(unmarked(base ?? ''), former);
    const after = markOf(base ?? '') + text;
    const known = replaced ? [] : insertions;
    const sha256 = replaced ? '' : digest(after);
    plan.records.push({ path: file.path, sha256, created: base === undefined, insertions: known, added });
    plan.changes.push({ path: file.path, before, after, backup: base, ours: file.add('', '').text });
  }
  const paths = new Set(files.map(({ path }) => path));
  const unwanted = client.files({ ...setup, rules: true }).filter(({ path }) => !paths.has(path));
  plan.changes.push(...removals(unwanted, old));
  const settled = new Set([...paths, ...unwanted.map(({ path }) => path)]);
  plan.records.push(...old.filter(({ path }) => !settled.has(path)));
  return plan;
}

/** What disconnecting a client would change: exactly what install added. @throws UnreadableClientFile, WorkstationFileError */
export function planUninstall(client: Client, setup: ClientSetup): InstallPlan {
  const old = recordOf(setup.agentRelayHome, client.name);
  const files = client.files({ ...setup, rules: true });
  const known = new Set(files.map(({ path }) => path));
  // The client looked elsewhere when these were written: what is as install left it can be taken back all the same.
  const elsewhere = old
    .filter(({ path }) => !known.has(path))
    .map((record) => ({ record, change: exactRemoval(record) }));
  return {
    client,
    changes: [...removals(files, old), ...elsewhere.flatMap(({ change }) => (change === undefined ? [] : [change]))],
    records: elsewhere.filter(({ change }) => change === undefined).map(({ record }) => record),
  };
}

function isUpToDate(file: ClientFile, text: string, record: FileRecord | undefined): boolean {
  return file.isSatisfied(text) && (record === undefined || !file.holdsRetired(text, record.added));
}

function removals(files: readonly ClientFile[], old: readonly FileRecord[]): FileChange[] {
  return files.flatMap((file) => {
    const before = readClientFile(file.path);
    if (before === undefined) return [];
    const record = old.find(({ path }) => path === file.path) ?? presumedRecord(file, before);
    const after = reverted(file, before, record);
    if (after === before) return [];
    refuseReadOnly(file.path);
    return [{ path: file.path, before, after, backup: undefined, ours: file.add('', '').text }];
  });
}

function exactRemoval({ path, sha256, created, insertions }: FileRecord): FileChange | undefined {
  const before = readClientFile(path);
  if (before === undefined || digest(before) !== sha256) return undefined;
  const rest = withoutInsertions(unmarked(before), insertions);
  if (rest === undefined) return undefined;
  const after = isNothing(rest, created) ? undefined : markOf(before) + rest;
  return { path, before, after, backup: undefined, ours: insertions.map(({ text }) => text).join('\n') };
}

/** The file's content without what install added; undefined when nothing else is left of a file that install made. */
function reverted(file: ClientFile, content: string, record: FileRecord): string | undefined {
  const text = unmarked(content);
  const exact = digest(content) === record.sha256 ? withoutInsertions(text, record.insertions) : undefined;
  const rest = exact ?? file.remove(text, record.added);
  return isNothing(rest, record.created) ? undefined : markOf(content) + rest;
}

function isNothing(rest: string, created: boolean): boolean {
  return created && /^\s*(\{\s*\}\s*)?$/.test(rest);
}

function presumedRecord(file: ClientFile, content: string): FileRecord {
  return { path: file.path, sha256: '', created: false, insertions: [], added: file.presumed(unmarked(content)) };
}

function digest(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

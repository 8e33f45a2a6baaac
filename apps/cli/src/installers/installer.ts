import { createHash } from 'node:crypto';
import type { Client, ClientFile, ClientSetup } from './client';
import { readClientFile, refuseReadOnly, writeClientFile } from './client-files';
import { type FileRecord, keepRecord, recordOf } from './install-record';
import { markOf, unmarked, withoutInsertions } from './text-edits';

/** What will happen to one file; undefined stands for no file. */
export interface FileChange {
  path: string;
  before: string | undefined;
  after: string | undefined;
  /** What the file would hold if install alone had written it. */
  ours: string;
}

export interface InstallPlan {
  client: Client;
  /** Only files that change. */
  changes: FileChange[];
  records: FileRecord[];
}

/** What connecting a client would change. Reads, and writes nothing. @throws UnreadableClientFile, WorkstationFileError */
export function planInstall(client: Client, setup: ClientSetup): InstallPlan {
  const old = recordOf(setup.agentRelayHome, client.name);
  const plan: InstallPlan = { client, changes: [], records: [] };
  for (const file of client.files(setup)) {
    const record = old.find(({ path }) => path === file.path);
    const before = readClientFile(file.path);
    if (before !== undefined && file.isSatisfied(unmarked(before))) {
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
    plan.changes.push({ path: file.path, before, after, ours: file.add('', '').text });
  }
  const wanted = new Set(plan.records.map(({ path }) => path));
  plan.records.push(...old.filter(({ path }) => !wanted.has(path)));
  return plan;
}

/** What disconnecting a client would change: exactly what install added. @throws UnreadableClientFile, WorkstationFileError */
export function planUninstall(client: Client, setup: ClientSetup): InstallPlan {
  const old = recordOf(setup.agentRelayHome, client.name);
  const changes = client.files({ ...setup, rules: true }).flatMap((file) => {
    const before = readClientFile(file.path);
    if (before === undefined) return [];
    const record = old.find(({ path }) => path === file.path) ?? presumedRecord(file, before);
    const after = reverted(file, before, record);
    if (after === before) return [];
    refuseReadOnly(file.path);
    return [{ path: file.path, before, after, ours: file.add('', '').text }];
  });
  return { client, changes, records: [] };
}

/**
 * Carries a plan out. What is to be taken out again is on record before it is put in: a crash in between leaves nothing
 * that uninstall does not find. @throws UnreadableClientFile, WorkstationFileError
 */
export function carryOut({ client, changes, records }: InstallPlan, agentRelayHome: string): void {
  const isInstall = records.length > 0;
  if (isInstall) keepRecord(agentRelayHome, client.name, records);
  for (const { path, after } of changes) writeClientFile(path, after);
  if (!isInstall) keepRecord(agentRelayHome, client.name, []);
}

/** The file's content without what install added; undefined when nothing else is left of a file that install made. */
function reverted(file: ClientFile, content: string, record: FileRecord): string | undefined {
  const text = unmarked(content);
  const exact = digest(content) === record.sha256 ? withoutInsertions(text, record.insertions) : undefined;
  const rest = exact ?? file.remove(text, record.added);
  return record.created && /^\s*(\{\s*\}\s*)?$/.test(rest) ? undefined : markOf(content) + rest;
}

function presumedRecord(file: ClientFile, content: string): FileRecord {
  return { path: file.path, sha256: '', created: false, insertions: [], added: file.presumed(unmarked(content)) };
}

function digest(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

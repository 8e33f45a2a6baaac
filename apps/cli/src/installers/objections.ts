import { join } from 'node:path';
import { type McpEntry, type Objection, SERVER_NAME, type Surroundings } from './client';
import { readClientFile } from './client-files';
import { entryFault } from './entry';
import { valueAt } from './json-document';
import { readJsonEntry } from './read-json-entry';
import { foldersUpFrom } from './surroundings';
import { strictJsonFault } from './strict-json';
import { markOf, unmarked } from './text-edits';

/** What a client does not take in a JSON file. */
interface Dialect {
  title: string;
  comments: boolean;
  byteOrderMark: boolean;
  /** What becomes of a file that it cannot read. */
  consequence: string;
}

/** Why a client cannot read a JSON file that people and install can read. */
export function unreadableFor(path: string, dialect: Dialect): Objection[] {
  const text = readClientFile(path) ?? '';
  if (unmarked(text).trim() === '') return [];
  const { title, consequence } = dialect;
  if (!dialect.byteOrderMark && markOf(text) !== '') {
    const message = `${path} begins with a byte order mark, which ${title} does not read: ${consequence}`;
    return [{ breaks: true, message, next: 'Save it as UTF-8 without that mark.' }];
  }
  const fault = strictJsonFault(unmarked(text), dialect.comments);
  if (fault === undefined) return [];
  const reason = dialect.comments ? 'trailing commas' : 'comments and no trailing commas';
  const message = `${path}, line ${fault.line}: ${title} takes no ${reason} there: ${consequence}`;
  return [{ breaks: true, message, next: 'Take them out.' }];
}

/** The value at `keys` of a JSON file, or undefined. @throws UnreadableClientFile */
export function jsonAt(path: string, keys: readonly string[]): unknown {
  const text = unmarked(readClientFile(path) ?? '');
  return text.trim() === '' ? undefined : valueAt(path, text, keys);
}

export function names(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** Entries of our name in files of the project that go before the user's own. */
export function projectEntries({ folder }: Surroundings, file: string, usersFile: string): Objection[] {
  const paths = foldersUpFrom(folder).map((above) => join(above, file));
  return paths
    .filter((path) => path !== usersFile)
    .flatMap((path) => {
      const entry = readJsonEntry(path);
      return entry === undefined ? [] : [goesFirst(path, entry, true)];
    });
}

/** That an entry of a project goes before the one that install wrote. */
export function goesFirst(where: string, entry: McpEntry, breaks: boolean): Objection {
  const started = entryFault(entry) ?? `it starts ${[entry.command, ...entry.args].join(' ')}`;
  const message = `the entry ${SERVER_NAME} of ${where} goes first: ${started}`;
  return { breaks: breaks || entryFault(entry) !== undefined, message, next: 'Take it out, or give it another name.' };
}

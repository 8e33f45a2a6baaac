import { join } from 'node:path';
import { type Objection, type Surroundings } from './client';
import { readClientFile } from './client-files';
import { entryOf } from './entry';
import { goesFirst, names } from './objections';
import { foldersUpFrom } from './surroundings';
import { unmarked } from './text-edits';
import { parseToml, type Toml, tableAt } from './toml-document';

/** What Codex' files say against our entry. */
export function codexObjections({ folder }: Surroundings, config: string, table: readonly string[]): Objection[] {
  const document = documentAt(config);
  const folders = foldersUpFrom(folder);
  const projects = (document['projects'] ?? {}) as Record<string, Toml | undefined>;
  const isTrusted = folders.some((above) => projects[above]?.['trust_level'] === 'trusted');
  const ofProjects = folders
    .map((above) => join(above, '.codex/config.toml'))
    .filter((path) => path !== config)
    .flatMap((path) => ofProject(path, tableAt(documentAt(path), table), isTrusted));
  return [...ofTable(config, tableAt(document, table), true), ...ofProjects];
}

/** A project's table is laid over the user's, member by member, when Codex trusts the project. */
function ofProject(path: string, table: unknown, isTrusted: boolean): Objection[] {
  if (table === undefined) return [];
  const entry = entryOf(table);
  return [...ofTable(path, table, isTrusted), ...(entry === undefined ? [] : [goesFirst(path, entry, isTrusted)])];
}

function ofTable(path: string, table: unknown, counts: boolean): Objection[] {
  const { enabled, enabled_tools, disabled_tools } = (table ?? {}) as Toml;
  const next = `Take it out of ${path}.`;
  const isNarrowed = enabled_tools !== undefined || names(disabled_tools).length > 0;
  return [
    ...(enabled === false
      ? [{ breaks: counts, message: `${path} says enabled = false: it is not started`, next }]
      : []),
    ...(isNarrowed ? [{ breaks: false, message: `${path} hides some of the tools`, next }] : []),
  ];
}

function documentAt(path: string): Toml {
  const text = readClientFile(path);
  return text === undefined ? {} : parseToml(path, unmarked(text));
}

import { isDeepStrictEqual } from 'node:util';
import { parse, TomlError } from 'smol-toml';
import { UnreadableClientFile } from './client-file-error';
import { type EditedText, inserted, lineEndOf } from './text-edits';

export type Toml = Record<string, unknown>;

/** @throws UnreadableClientFile with the place of the fault */
export function parseToml(path: string, text: string): Toml {
  try {
    return parse(text, { integersAsBigInt: true });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new UnreadableClientFile(
      path,
      'is not valid TOML; mend it first. Nothing was changed.',
      error.line,
      error.column,
    );
  }
}

/** The table at `keys`, or undefined when there is none. */
export function tableAt(document: Toml, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((at, key) => (isTable(at) && Object.hasOwn(at, key) ? at[key] : undefined), document);
}

/** `edited` with `block`, which is whole tables, at its end. */
export function withBlock(edited: EditedText, block: string): EditedText {
  const { text } = edited;
  const lineEnd = lineEndOf(text);
  const ended = text === '' || text.endsWith('\n') ? '' : lineEnd;
  const gap = text.trim() === '' ? '' : lineEnd;
  return inserted(edited, { offset: text.length, text: ended + gap + block.replaceAll('\n', lineEnd) });
}

/**
 * `text` without the table at `keys` and those below it, everything else left as it is. Comments and empty lines behind
 * the last of them belong to what follows.
 * @throws UnreadableClientFile when the table is written in a way that cannot be cut out
 */
export function withoutTable(path: string, text: string, keys: readonly string[]): string {
  const before = parseToml(path, text);
  if (tableAt(before, keys) === undefined) return text;
  const kept: string[] = [];
  let inside = false;
  let behind: string[] = [];
  let above = '';
  for (const line of text.split(/(?<=\n)/)) {
    const header = headerOf(line, above);
    if (header !== undefined) {
      const begins = keys.every((key, index) => header[index] === key);
      // The empty line above was put there with the table.
      if (begins && !inside && kept.at(-1)?.trim() === '') kept.pop();
      if (!begins) kept.push(...behind);
      behind = [];
      inside = begins;
    }
    if (!inside) kept.push(line);
    else behind = /^\s*(#|$)/.test(line) ? [...behind, line] : [];
    above += line;
  }
  kept.push(...behind);
  const rest = kept.join('');
  const after = parseToml(path, rest);
  const isGone = tableAt(after, keys) === undefined;
  if (isGone && isDeepStrictEqual(without(after, keys), without(before, keys))) return rest;
  throw new UnreadableClientFile(
    path,
    `${keys.join('.')} is written in a way that only you can take out; do so first.`,
  );
}

/**
 * The keys that a line like `[a.b."c d"]` opens a table for; undefined for every other line. What is above parses by
 * itself, unless the line is in the middle of a text or a list.
 */
function headerOf(line: string, above: string): string[] | undefined {
  if (!/^[ \t]*\[/.test(line) || parsed(above) === undefined) return undefined;
  let table: unknown = parsed(line);
  if (table === undefined) return undefined;
  const keys: string[] = [];
  while (isTable(table) || Array.isArray(table)) {
    const [[key, value] = []] = Object.entries(table);
    if (key === undefined) break;
    if (!Array.isArray(table)) keys.push(key);
    table = value;
  }
  return keys;
}

function parsed(text: string): Toml | undefined {
  try {
    return parse(text, { integersAsBigInt: true });
  } catch {
    return undefined;
  }
}

/** The document without the table, and without tables above it that hold nothing else. */
function without(document: Toml, [key = '', ...below]: readonly string[]): Toml {
  const { [key]: table, ...others } = document;
  if (below.length === 0 || !isTable(table)) return others;
  const rest = without(table, below);
  return Object.keys(rest).length === 0 ? others : { ...document, [key]: rest };
}

function isTable(value: unknown): value is Toml {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import { invisibleFinder, isInvisible } from './invisible';
import { endOfNeeded } from './needed-invisible';

/** How many different invisible characters in a row are named; of the rest only the number is told. */
const MOST_NAMED = 64;

/** Writes a stretch of a text that nobody would see. */
type Writer = (text: string, from: number, to: number) => string;

/**
 * `text` with what nobody would see written out, as `⟦U+202E⟧`. A run of one character is written once with its number,
 * as `⟦U+200B ×349000⟧`. Takes time in proportion to the length of the text.
 */
export function visible(text: string): string {
  return writeOut(text, named);
}

/** `text` on one line, for use inside a sentence of ours. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll('\n', '⏎').replaceAll('\t', ' ');
}

/** JSON for a terminal or a program: the same value, with such characters as escapes of JSON. */
export function visibleJson(value: unknown): string {
  return writeOut(JSON.stringify(value, null, 2), escaped);
}

function writeOut(text: string, write: Writer): string {
  const finder = invisibleFinder();
  const pieces: string[] = [];
  let written = 0;
  for (let found = finder.exec(text); found !== null; found = finder.exec(text)) {
    const needed = endOfNeeded(text, found.index);
    if (needed !== undefined) {
      finder.lastIndex = needed;
      continue;
    }
    const end = endOfRun(text, found.index);
    pieces.push(text.slice(written, found.index), write(text, found.index, end));
    written = end;
    finder.lastIndex = end;
  }
  return written === 0 ? text : pieces.join('') + text.slice(written);
}

function endOfRun(text: string, start: number): number {
  let last = -1;
  let at = start;
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    if (code !== last && !isInvisible(code)) break;
    last = code;
    at += code > 0xffff ? 2 : 1;
  }
  return at;
}

function named(text: string, from: number, to: number): string {
  const names: string[] = [];
  for (let at = from; at < to;) {
    if (names.length === MOST_NAMED) {
      names.push(`⟦and ${codePointsBetween(text, at, to)} more such characters⟧`);
      break;
    }
    const code = text.codePointAt(at) ?? 0;
    const width = code > 0xffff ? 2 : 1;
    let count = 0;
    for (; at < to && text.codePointAt(at) === code; at += width) count++;
    names.push(`⟦U+${hex(code)}${count > 1 ? ` ×${count}` : ''}⟧`);
  }
  return names.join('');
}

function codePointsBetween(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count++;
  return count;
}

function escaped(text: string, from: number, to: number): string {
  const units: string[] = [];
  for (let at = from; at < to; at++) units.push(`\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`);
  return units.join('');
}

function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, '0');
}

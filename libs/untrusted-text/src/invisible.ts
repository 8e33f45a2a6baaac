/**
 * Which code points nobody sees, or change how the text around them is read. The rule is Unicode's own properties, as the
 * running Node.js knows them, so that what a later version of Unicode adds is covered without a list of ours.
 */

/** Signs that Unicode counts among the format characters although they are drawn (Prepended_Concatenation_Mark). */
const DRAWN_FORMAT_SIGNS = '\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}';

/** Drawn as nothing although no property says so: the empty Braille cell, an empty note head, blanks of two old scripts. */
const BLANKS = '\\u2800\\u{1d159}\\u{13441}\\u{13442}\\u{16fe4}';

const CLASSES = '\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}\\p{Zl}\\p{Zp}\\p{DI}\\p{NChar}';

const SOURCE = `(?![\\t\\n${DRAWN_FORMAT_SIGNS}])[${CLASSES}${BLANKS}]`;

/** Finds the next such code point; a loop inside the expression could exhaust the stack on a long run. */
export function invisibleFinder(): RegExp {
  return new RegExp(SOURCE, 'gu');
}

const ONE = new RegExp(`^${SOURCE}$`, 'u');

/** Whether nobody sees this code point, or it changes how others are read. */
export function isInvisible(codePoint: number): boolean {
  if (codePoint < 0x7f) return codePoint < 0x20 && codePoint !== 0x09 && codePoint !== 0x0a;
  return ONE.test(String.fromCodePoint(codePoint));
}

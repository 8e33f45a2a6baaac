/**
 * Characters that change how text around them is read or that nobody sees: controls but tab and line feed, other line
 * breaks, bidi marks and overrides, zero-width characters that no script needs, fillers that look like nothing, the tag
 * block, and the variation selectors that neither emoji nor Mongolian needs.
 */
const ALWAYS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}\u{e0100}-\u{e01ef}]|\p{Cs}/u;

/**
 * Joiners and the other variation selectors stay where one stands alone: emoji and several scripts are written with them,
 * emoji also with a selector before a joiner. Any other run of them can only be a message that nobody sees.
 */
const IN_RUNS =
  /(?!\ufe0f\u200d(?![\u180b-\u180d\u180f\u200c\u200d\ufe0e\ufe0f]))[\u180b-\u180d\u180f\u200c\u200d\ufe0e\ufe0f]{2,}/u;

const INVISIBLE = new RegExp(`${ALWAYS.source}|${IN_RUNS.source}`, 'gu');

/** `text` with such characters written out, as `⟦U+202E⟧`. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (characters) => Array.from(characters, (one) => `⟦U+${hex(one)}⟧`).join(''));
}

/** `text` on one line, for use inside a sentence of ours. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll('\n', '⏎').replaceAll('\t', ' ');
}

/** The same value for a reader of JSON, whose strings and names of members are `visible`. */
export function visibleMembers(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (Array.isArray(value)) return value.map(visibleMembers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [visible(name), visibleMembers(member)]));
}

/** JSON for a terminal or a program: the same value, with such characters as escapes of JSON. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(INVISIBLE, (characters) =>
    Array.from({ length: characters.length }, (_, unit) => jsonEscape(characters.charCodeAt(unit))).join(''),
  );
}

function jsonEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

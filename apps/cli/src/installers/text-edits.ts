/** Text put into a file, at a place of the text as it was before this insertion. */
export interface Insertion {
  offset: number;
  text: string;
}

/** A text with what was put into it so far, in order: enough to take exactly that out again. */
export interface EditedText {
  text: string;
  insertions: readonly Insertion[];
}

export function inserted({ text, insertions }: EditedText, insertion: Insertion): EditedText {
  const { offset } = insertion;
  return {
    text: text.slice(0, offset) + insertion.text + text.slice(offset),
    insertions: [...insertions, insertion],
  };
}

/** The text before the insertions; undefined when they are not in it. */
export function withoutInsertions(text: string, insertions: readonly Insertion[]): string | undefined {
  let rest = text;
  for (const { offset, text: added } of [...insertions].reverse()) {
    if (rest.slice(offset, offset + added.length) !== added) return undefined;
    rest = rest.slice(0, offset) + rest.slice(offset + added.length);
  }
  return rest;
}

/** The line end that a file uses. */
export function lineEndOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** Line and column of a place, counted from 1. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

const BYTE_ORDER_MARK = '\ufeff';

/** The byte order mark of a file that has one. */
export function markOf(content: string): string {
  return content.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
}

/** The content without its byte order mark, which no parser expects. */
export function unmarked(content: string): string {
  return content.slice(markOf(content).length);
}

import { structuredPatch } from 'diff';
import { visible } from '@agentrelay/untrusted-text';
import type { FileChange } from './installer';

const LINE_LENGTH = 160;
const MASKED = '"…"';
/** What can hold a user's words in JSON and TOML: strings over several lines, comments, and strings with a name's colon. */
const WORDS = /"""[\s\S]*?"""|'''[\s\S]*?'''|\/\*[\s\S]*?\*\/|(?:\/\/|#)[^\n]*|("(?:[^"\\\n]|\\.)*"|'[^'\n]*')(\s*:)?/g;

/** A change as lines of a diff. Of values and comments only those that install writes are shown: others may be secrets. */
export function shownDiff({ before = '', after = '', ours }: FileChange): string[] {
  const known = new Set([...ours.matchAll(WORDS)].map(([whole, literal = whole]) => literal));
  const [from, to] = [masked(ended(before), known), masked(ended(after), known)];
  const { hunks } = structuredPatch('', '', from, to, undefined, undefined, { context: 0 });
  const lines = hunks.flatMap((hunk) => hunk.lines).filter((line) => !line.startsWith('\\'));
  return lines.map((line) => shortened(visible(line)));
}

/** `text` with everything hidden that is not known; names of members stay. */
function masked(text: string, known: ReadonlySet<string>): string {
  return text.replace(WORDS, (whole, literal: string = whole, colon: string | undefined) =>
    colon !== undefined || known.has(literal) ? whole : MASKED,
  );
}

/** A missing line end at the end of a file is no change worth showing. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function shortened(line: string): string {
  return line.length <= LINE_LENGTH ? line : `${line.slice(0, LINE_LENGTH - 1)}…`;
}

import { structuredPatch } from 'diff';
import { visible } from '@agentrelay/presentation';
import type { FileChange } from './installer';

const LINE_LENGTH = 160;
const MASKED = '"…"';
/** A string of JSON or TOML on one line, and the colon that makes it a name. */
const STRING = /("(?:[^"\\\n]|\\.)*"|'[^'\n]*')(\s*:)?/g;

/** A change as lines of a diff, without what the user's own values say: they may be secrets. */
export function shownDiff(change: FileChange, removing: boolean): string[] {
  const [before = '', after = ''] = removing ? [change.after, change.before] : [change.before, change.after];
  // Which strings are ours shows by their not being in the other text.
  const theirs = strings(before);
  const { hunks } = structuredPatch(
    '',
    '',
    masked(ended(before), theirs),
    masked(ended(after), theirs),
    undefined,
    undefined,
    { context: 0 },
  );
  const lines = hunks.flatMap((hunk) => hunk.lines).filter((line) => !line.startsWith('\\'));
  return lines.map((line) => shortened(visible(removing ? turned(line) : line)));
}

function strings(text: string): Set<string> {
  return new Set([...text.matchAll(STRING)].map(([, literal = '']) => literal));
}

/** `text` with the string values of `theirs` hidden; names of members stay. */
function masked(text: string, theirs: ReadonlySet<string>): string {
  return text.replace(STRING, (whole, literal: string, colon: string | undefined) =>
    colon === undefined && theirs.has(literal) ? MASKED : whole,
  );
}

/** A missing line end at the end of a file is no change worth showing. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function turned(line: string): string {
  return (line.startsWith('+') ? '-' : '+') + line.slice(1);
}

function shortened(line: string): string {
  return line.length <= LINE_LENGTH ? line : `${line.slice(0, LINE_LENGTH - 1)}…`;
}

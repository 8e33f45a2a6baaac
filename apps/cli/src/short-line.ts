import { visibleLine } from '@agentrelay/untrusted-text';
import { LIMITS, preview } from '@agentrelay/protocol';

/** A name or the like that somebody else chose, for use inside a line of ours: cut at so many characters. */
export function shortLine(text: string, most: number = LIMITS.displayName): string {
  return visibleLine(preview(text, most));
}

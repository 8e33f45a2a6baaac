import { localPart } from '@agentrelay/protocol';
import { distance } from 'fastest-levenshtein';

const MAX_HINTS = 3;

/** Up to three handles that a mistyped one may have meant, nearest first: about a third of it may be wrong. */
export function nearHandles(mistyped: string, handles: readonly string[]): string[] {
  const wanted = mistyped.toLowerCase();
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  return handles
    .map((handle) => ({ handle, distance: Math.min(distance(wanted, handle), distance(wanted, localPart(handle))) }))
    .filter((candidate) => candidate.distance <= limit)
    .sort((one, other) => one.distance - other.distance || one.handle.localeCompare(other.handle))
    .slice(0, MAX_HINTS)
    .map(({ handle }) => handle);
}

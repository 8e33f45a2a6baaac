import { distance } from 'fastest-levenshtein';
import { HANDLE_PATTERN } from '@agentrelay/protocol';

/** Letters that two names share at their beginning when one is probably meant for the other, as `blocklist` for `blocked`. */
const SHARED_BEGINNING = 5;

/**
 * What a member of `trust.yaml` that changes nothing is easily taken for, or undefined: a misspelt member of ours, one
 * that stands where it has no effect, or a teammate outside `teammates`.
 */
export function misleadingMember(name: string, here: readonly string[], ours: readonly string[]): string | undefined {
  const elsewhere = memberElsewhere(name, ours);
  if (elsewhere !== undefined && !here.includes(elsewhere)) return `${elsewhere}, which has no effect here`;
  if (HANDLE_PATTERN.test(name.trim())) return 'a teammate, who must stand in teammates or blocked';
  return [...here, ...ours].find((member) => resembles(folded(name), folded(member)));
}

/** Which of our members a name is, where it stands below one that is not ours. */
export function memberElsewhere(name: string, ours: readonly string[]): string | undefined {
  return ours.find((member) => folded(member) === folded(name));
}

function resembles(name: string, member: string): boolean {
  if (name.slice(0, SHARED_BEGINNING) === member.slice(0, SHARED_BEGINNING) || name.includes(member)) return true;
  return distance(name, member) <= Math.floor(Math.max(name.length, member.length) / 4);
}

/** A name as a hurried reader sees it: without case, separators and characters that nobody sees. */
function folded(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

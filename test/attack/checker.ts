import { atMost, exactly, judged, type Row } from '../bench/table';
import type { Evidence } from './evidence';

/** The relay's whole memory, whatever is done to it. */
export const MEMORY_MIB = 512;

/** A rule that an attack has broken, with how to see it again. */
export interface Violation {
  attack: string;
  what: string;
  reproduction: string;
}

export interface Judgement {
  rows: Row[];
  violations: Violation[];
}

/**
 * Holds what an attack has shown against the rules: one line for each, and whatever is broken as a violation. Without `speed`
 * figures that depend on the machine are left out.
 */
export function judge(evidence: Evidence, command: string, { speed = true }: { speed?: boolean } = {}): Judgement {
  const { attack, outcomes, faults, figures, claims, endedBy, failure, peakMiB, servesAfter } = evidence;
  const rows: Row[] = [];
  const violations: Violation[] = [];
  const add = (row: Row, reproduction = command): void => {
    rows.push(row);
    if (row.verdict !== 'missed') return;
    const what = `${row.work.slice(attack.length + 2)}: ${row.measured}, allowed ${row.budget}`;
    violations.push({ attack, what, reproduction });
  };
  const line = (what: string, measured: string, value: number, budget: Parameters<typeof judged>[2]): Row =>
    judged(`${attack}: ${what}`, { measured, value }, budget);

  add(line('the process lives', endedBy ?? 'yes', endedBy === undefined ? 0 : 1, exactly(0, 'yes')));
  if (failure !== undefined) add(line('carried out to its end', failure, 1, exactly(0, 'yes')));
  add(line('peak memory', `${Math.round(peakMiB)} MiB`, peakMiB, atMost(MEMORY_MIB, `${MEMORY_MIB} MiB`)));
  add(line('a handoff goes through afterwards', servesAfter ? 'yes' : 'no', servesAfter ? 0 : 1, exactly(0, 'yes')));
  if (Object.keys(outcomes).length > 0)
    add(line('faulty answers', `${faults.length} of ${told(outcomes)}`, faults.length, exactly(0, 'none')));
  for (const { what, shown, value, budget, ofSpeed } of figures)
    if (speed || !ofSpeed) add(line(what, shown, value, budget));
  for (const { what, seen, holds } of claims) add(line(what, seen, holds ? 0 : 1, exactly(0, 'so')));
  for (const { fault, reproduction } of faults) violations.push({ attack, what: fault, reproduction });
  return { rows, violations };
}

function told(outcomes: Record<string, number>): string {
  const total = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  const parts = Object.entries(outcomes)
    .sort(([, a], [, b]) => b - a)
    .map(([status, count]) => `${status} × ${count}`);
  return `${total} (${parts.join(', ')})`;
}

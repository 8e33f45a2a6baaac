import type { Violation } from './checker';

/** How long after its end a key may still be accepted. */
const GRACE_MS = 1_000;

/** One key, as its holder and the database saw it. All times in milliseconds of the database's clock, which is this machine's. */
export interface KeyLog {
  id: string;
  agent: AgentLog;
  /** When it was seen to have ended, or its stored end where that came later. */
  endedAt: number | undefined;
  /** When the calls began that were not refused. */
  uses: number[];
  refusals: number;
}

export interface AgentLog {
  handle: string;
  /** From when it was seen disabled until somebody asked to enable it. */
  disabled: { from: number; until: number }[];
}

/** No call succeeds that began more than a second after its key, or its agent, had ended. */
export function outlived({ id, agent, endedAt = Infinity, uses }: KeyLog): Violation[] {
  const ends = [{ from: endedAt, until: Infinity }, ...agent.disabled];
  return uses.flatMap((use) => {
    const end = ends.find(({ from, until }) => use > from + GRACE_MS && use < until);
    if (end === undefined) return [];
    const what = `A call with key ${id} of ${agent.handle} succeeded that began ${use - end.from} ms after its end.`;
    return [{ fault: 'outlived', what, operations: [] }];
  });
}

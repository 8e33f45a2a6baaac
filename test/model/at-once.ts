import type { Call } from './commands';
import { type Afterwards, type Answer, explain } from './explain';
import type { State } from './state';

export interface Made {
  call: Call;
  answer: Answer;
}

/**
 * The state after calls that were made at once: whatever order of them explains every answer. A read's position moves
 * in a moment of its own, after the one that its answer shows.
 */
export function explainTogether(state: State, made: readonly Made[]): State | undefined {
  return search(state, made, []);
}

function search(state: State, made: readonly Made[], after: readonly NonNullable<Afterwards>[]): State | undefined {
  if (made.length === 0 && after.length === 0) return state;
  for (const [i, { call, answer }] of made.entries()) {
    const next = structuredClone(state);
    const afterwards = attempt(() => explain(next, call, answer));
    if (afterwards === 'impossible') continue;
    const pending = afterwards === undefined ? after : [...after, afterwards];
    const found = search(next, without(made, i), pending);
    if (found !== undefined) return found;
  }
  for (const [i, afterwards] of after.entries()) {
    const next = structuredClone(state);
    afterwards(next);
    const found = search(next, made, without(after, i));
    if (found !== undefined) return found;
  }
  return undefined;
}

function attempt(explanation: () => Afterwards): Afterwards | 'impossible' {
  try {
    return explanation();
  } catch {
    return 'impossible';
  }
}

function without<Item>(items: readonly Item[], index: number): Item[] {
  return items.filter((_, i) => i !== index);
}

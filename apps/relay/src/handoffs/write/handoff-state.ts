import type { ErrorSymbol, HandoffState } from '@agentrelay/protocol';

/** On which side of a handoff a participant stands. */
export type Side = 'sender' | 'recipient';

export type Refusal = Extract<
  ErrorSymbol,
  'state_changed' | 'invalid_transition' | 'not_authorized_transition' | 'thread_terminal'
>;

/** Who may do something to a handoff, and in which of its live states (a row of the matrix of domain.md 2). */
export interface ActionRule {
  readonly by: readonly Side[];
  readonly pending: 'allowed' | Refusal;
  readonly accepted: 'allowed' | Refusal;
}

/** Nothing is written on a completed or cancelled handoff. */
export function isTerminal(state: HandoffState): state is 'completed' | 'cancelled' {
  return state === 'completed' || state === 'cancelled';
}

/** Whether a participant may act by this rule now, or the symbol of the refusal. */
export function decide(rule: ActionRule, state: HandoffState, side: Side): 'allowed' | Refusal {
  if (isTerminal(state)) return 'thread_terminal';
  if (!rule.by.includes(side)) return 'not_authorized_transition';
  return rule[state];
}

import type { ErrorSymbol, HandoffState } from '@agentrelay/protocol';

/** What a participant can do to a handoff. */
export type HandoffAction = 'accept' | 'complete' | 'cancel' | 'append' | 'draft';

/** On which side of a handoff a participant stands. */
export type Side = 'sender' | 'recipient';

export type Refusal = Extract<
  ErrorSymbol,
  'state_changed' | 'invalid_transition' | 'not_authorized_transition' | 'thread_terminal'
>;

const PERFORMED_BY: Record<HandoffAction, readonly Side[]> = {
  accept: ['recipient'],
  complete: ['recipient'],
  cancel: ['sender'],
  append: ['sender', 'recipient'],
  draft: ['recipient'],
};

/** What happens to each action in each live state, once its side may perform it. */
const IN_STATE: Record<HandoffAction, Record<'pending' | 'accepted', 'allowed' | Refusal>> = {
  accept: { pending: 'allowed', accepted: 'state_changed' },
  complete: { pending: 'invalid_transition', accepted: 'allowed' },
  cancel: { pending: 'allowed', accepted: 'invalid_transition' },
  append: { pending: 'allowed', accepted: 'allowed' },
  draft: { pending: 'invalid_transition', accepted: 'allowed' },
};

/** Nothing is written on a completed or cancelled handoff. */
export function isTerminal(state: HandoffState): state is 'completed' | 'cancelled' {
  return state === 'completed' || state === 'cancelled';
}

/** Whether a participant may do `action` now, or the symbol of the refusal (the matrix of domain.md 2). */
export function decide(action: HandoffAction, state: HandoffState, side: Side): 'allowed' | Refusal {
  if (isTerminal(state)) return 'thread_terminal';
  if (!PERFORMED_BY[action].includes(side)) return 'not_authorized_transition';
  return IN_STATE[action][state];
}

import { HANDOFF_STATES, type HandoffState } from '@agentrelay/protocol';
import { ACCEPT } from '../commands/accept-handoff';
import { DRAFT } from '../commands/append-draft';
import { APPEND } from '../commands/append-message';
import { CANCEL } from '../commands/cancel-handoff';
import { COMPLETE } from '../commands/complete-handoff';
import { decide, isTerminal, type Side } from './handoff-state';

const RULES = {
  accept: ACCEPT.rule,
  complete: COMPLETE.rule,
  cancel: CANCEL.rule,
  append: APPEND.rule,
  draft: DRAFT.rule,
};

const FORBIDDEN = 'not_authorized_transition';

/** domain.md 2, for live states: what each side gets while pending and while accepted. */
const LIVE: [keyof typeof RULES, Side, string, string][] = [
  ['accept', 'recipient', 'allowed', 'state_changed'],
  ['accept', 'sender', FORBIDDEN, FORBIDDEN],
  ['complete', 'recipient', 'invalid_transition', 'allowed'],
  ['complete', 'sender', FORBIDDEN, FORBIDDEN],
  ['cancel', 'sender', 'allowed', 'invalid_transition'],
  ['cancel', 'recipient', FORBIDDEN, FORBIDDEN],
  ['append', 'sender', 'allowed', 'allowed'],
  ['append', 'recipient', 'allowed', 'allowed'],
  ['draft', 'sender', FORBIDDEN, FORBIDDEN],
  ['draft', 'recipient', 'invalid_transition', 'allowed'],
];

describe('decide', () => {
  it.each(LIVE)('%s by the %s: %s while pending, %s while accepted, never afterwards', (action, side, ...live) => {
    const verdicts = HANDOFF_STATES.map((state: HandoffState) => decide(RULES[action], state, side));
    expect(verdicts).toEqual([...live, 'thread_terminal', 'thread_terminal']);
  });
});

it('completed and cancelled are the ends', () => {
  expect(HANDOFF_STATES.filter(isTerminal)).toEqual(['completed', 'cancelled']);
});

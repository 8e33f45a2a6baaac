/** The closed word lists of the domain (domain.md 2 and 7). Lists are ordered as documents show them. */

export const INTENTS = ['inform', 'ask_question', 'propose_action'] as const;
export type Intent = (typeof INTENTS)[number];

export const HANDOFF_STATES = ['pending', 'accepted', 'completed', 'cancelled'] as const;
export type HandoffState = (typeof HANDOFF_STATES)[number];

/** What a recipient may say of finished work. */
export const OUTCOMES = ['answered', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The supervised-work view of a handoff's state (work.md 5.3), as far as the mailbox can produce it. */
export type WorkStatus = 'READY' | 'IN_PROGRESS' | 'ANSWERED' | 'FAILED' | 'CANCELLED';

export const MESSAGE_KINDS = ['summary', 'message', 'draft', 'result', 'system'] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** Whose hand holds a key: `human` keys act as the participant and as a person. */
export const PRINCIPALS = ['agent', 'human'] as const;
export type Principal = (typeof PRINCIPALS)[number];

/** The side of a list that `tasks/list` looks from. */
export const LIST_ROLES = ['recipient', 'sender', 'any'] as const;
export type ListRole = (typeof LIST_ROLES)[number];

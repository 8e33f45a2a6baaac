/** What can happen, as the log names it (domain.md 3). */
export type ThreadEventType =
  'handoff.created' | 'handoff.accepted' | 'handoff.completed' | 'handoff.cancelled' | 'message.appended';

export type AgentEventType =
  'agent.registered' | 'card.updated' | 'key.issued' | 'key.revoked' | 'block.added' | 'block.removed';

export type EventType = ThreadEventType | AgentEventType;

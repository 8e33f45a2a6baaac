/** What can happen on a thread, as the log names it (domain.md 3). */
export const THREAD_EVENT_TYPES = [
  'handoff.created',
  'handoff.accepted',
  'handoff.completed',
  'handoff.cancelled',
  'message.appended',
  'draft.appended',
] as const;
export type ThreadEventType = (typeof THREAD_EVENT_TYPES)[number];

/** What can happen to an agent outside any thread. */
export const AGENT_EVENT_TYPES = [
  'agent.registered',
  'agent.disabled',
  'agent.enabled',
  'agent.erased',
  'card.updated',
  'key.issued',
  'key.rotated',
  'key.revoked',
  'block.added',
  'block.removed',
  'invite.minted',
  'invite.redeemed',
  'invite.revoked',
] as const;
export type AgentEventType = (typeof AGENT_EVENT_TYPES)[number];

/** After these a credential of the agent may work no more. */
export const CREDENTIAL_EVENT_TYPES = [
  'key.rotated',
  'key.revoked',
  'agent.disabled',
  'agent.erased',
] as const satisfies readonly AgentEventType[];

export const EVENT_TYPES = [...THREAD_EVENT_TYPES, ...AGENT_EVENT_TYPES] as const;
export type EventType = (typeof EVENT_TYPES)[number];

import type { EventType } from '../events';

/** Names of actions as published clients know them, and the events they stand for. */
export const PUBLISHED_ACTIONS = {
  'handoff.create': 'handoff.created',
  'handoff.accept': 'handoff.accepted',
  'handoff.complete': 'handoff.completed',
  'handoff.cancel': 'handoff.cancelled',
  'message.append': 'message.appended',
  'draft.append': 'draft.appended',
  'agent.register': 'agent.registered',
  'agent.disable': 'agent.disabled',
  'agent.enable': 'agent.enabled',
  'agent.erase': 'agent.erased',
  'card.update': 'card.updated',
  'key.issue': 'key.issued',
  'key.rotate': 'key.rotated',
  'key.revoke': 'key.revoked',
  'agent.block': 'block.added',
  'agent.unblock': 'block.removed',
  'invite.minted': 'invite.minted',
  'invite.redeemed': 'invite.redeemed',
  'invite.revoked': 'invite.revoked',
} as const satisfies Record<string, EventType>;

type PublishedAction = keyof typeof PUBLISHED_ACTIONS;

const BY_TYPE = new Map<EventType, PublishedAction>(
  (Object.keys(PUBLISHED_ACTIONS) as PublishedAction[]).map((action) => [PUBLISHED_ACTIONS[action], action]),
);

/** The event type that an action names, in either spelling. */
export function eventTypeOf(action: string): EventType {
  return (PUBLISHED_ACTIONS as Record<string, EventType>)[action] ?? (action as EventType);
}

export function publishedActionOf(type: EventType): string {
  return BY_TYPE.get(type) ?? type;
}

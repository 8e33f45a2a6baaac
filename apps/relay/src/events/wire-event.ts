import type { WireEvent } from '@agentrelay/protocol';
import { encodeEventCursor } from './event-cursor';
import type { EventView } from './event-reader.repository';

/** An event as every API shows it. */
export function wireEvent(event: EventView, epoch: string): WireEvent {
  return {
    id: event.id,
    cursor: encodeEventCursor({ epoch, transactionId: event.transactionId, id: event.id }),
    type: event.type,
    actor: event.actor,
    actor_kind: event.actorKind,
    ...(event.handoffId === null ? {} : { task_id: event.handoffId, thread_id: event.handoffId }),
    ...(event.subject === null ? {} : { agent: event.subject }),
    payload: event.payload,
    request_id: event.requestId,
    created_at: event.createdAt.toISOString(),
  };
}

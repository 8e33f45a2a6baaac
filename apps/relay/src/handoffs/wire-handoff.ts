import type {
  WireAppended,
  WireDeliveryStep,
  WireList,
  WireListItem,
  WireMessage,
  WireParticipant,
  WireSent,
  WireThread,
  WireTransition,
  WorkStatus,
} from '@agentrelay/protocol';
import { replayedMember } from '../idempotency';
import type {
  AppendedMessage,
  HandoffList,
  HandoffListItem,
  MessageView,
  ParticipantView,
  SentHandoff,
  ThreadView,
  TransitionResult,
} from './handoff.views';

/** Views of a handoff as the native wire shows them, over JSON-RPC and REST alike (wire.md). */

export function wireSent(sent: SentHandoff, inboxUrl: string): WireSent {
  return {
    ...replayedMember(sent),
    task_id: sent.id,
    thread_id: sent.id,
    status: { state: 'pending' },
    recipient: sent.recipient,
    created_at: sent.createdAt.toISOString(),
    inbox_url: inboxUrl,
    version: 1,
  };
}

export function wireAppended(appended: AppendedMessage): WireAppended {
  return {
    ...replayedMember(appended),
    task_id: appended.handoffId,
    thread_id: appended.handoffId,
    message_id: appended.messageId,
    sequence_no: appended.sequenceNo,
    created_at: appended.createdAt.toISOString(),
  };
}

export function wireTransition(result: TransitionResult, inboxUrl: string): WireTransition {
  return {
    ...replayedMember(result),
    task_id: result.handoffId,
    thread_id: result.handoffId,
    status: { state: result.status },
    work_status: workStatus(result),
    version: result.version,
    updated_at: result.updatedAt.toISOString(),
    ...times(result),
    completion_artifacts: result.completionArtifacts,
    ...(result.outcome === null ? {} : { outcome: result.outcome }),
    ...(result.thread === undefined ? {} : { thread: wireThread(result.thread, inboxUrl) }),
    ...(result.threadOmitted ? { omitted: ['thread'] } : {}),
  };
}

export function wireThread(thread: ThreadView, inboxUrl: string): WireThread {
  return {
    task_id: thread.id,
    thread_id: thread.id,
    sender: participant(thread.sender),
    recipient: participant(thread.recipient),
    status: { state: thread.status },
    work_status: workStatus(thread),
    intent: thread.intent,
    summary: thread.summary,
    artifacts: thread.artifacts,
    proposed_action: thread.proposedAction,
    metadata: thread.metadata,
    messages: thread.messages.map(wireMessage),
    unread_messages: thread.unreadMessages,
    created_at: thread.createdAt.toISOString(),
    ...times(thread),
    completed_summary: thread.completedSummary,
    completion_artifacts: thread.completionArtifacts,
    ...(thread.outcome === null ? {} : { outcome: thread.outcome }),
    delivery: wireDelivery(thread.delivery),
    inbox_url: inboxUrl,
    ...(thread.traceparent === null ? {} : { traceparent: thread.traceparent }),
    version: thread.version,
    updated_at: thread.updatedAt.toISOString(),
    ...(thread.nextAfterSequenceNo === null ? {} : { next_after_sequence_no: thread.nextAfterSequenceNo }),
    ...(thread.omitted.length === 0 ? {} : { omitted: thread.omitted }),
  };
}

export function wireList(list: HandoffList): WireList {
  return {
    items: list.items.map(wireListItem),
    next_cursor: list.nextCursor,
    unread_total: list.unreadTotal,
    ...(list.asOf === undefined ? {} : { as_of: list.asOf.toISOString() }),
  };
}

function wireListItem(item: HandoffListItem): WireListItem {
  return {
    task_id: item.id,
    thread_id: item.id,
    status: { state: item.status },
    work_status: workStatus(item),
    intent: item.intent,
    sender: participant(item.sender),
    recipient: participant(item.recipient),
    summary_preview: item.summaryPreview,
    unread_messages: item.unreadMessages,
    artifact_count: item.artifactCount,
    created_at: item.createdAt.toISOString(),
    updated_at: item.updatedAt.toISOString(),
  };
}

function wireMessage(message: MessageView): WireMessage {
  return {
    id: message.id,
    sequence_no: message.sequenceNo,
    ...(message.author === undefined ? {} : { author_id: message.author.agentId }),
    from: message.author?.handle ?? 'system',
    kind: message.kind,
    body: message.body,
    payload: message.payload,
    artifacts: message.artifacts,
    created_at: message.createdAt.toISOString(),
  };
}

function wireDelivery(ladder: ThreadView['delivery']): WireThread['delivery'] {
  const step = (of: ThreadView['delivery']['stored']): WireDeliveryStep =>
    'at' in of ? { at: of.at.toISOString() } : of;
  return {
    stored: step(ladder.stored),
    notified: step(ladder.notified),
    listed: step(ladder.listed),
    opened: step(ladder.opened),
    accepted: step(ladder.accepted),
    completed: step(ladder.completed),
  };
}

function participant({ handle, name, role }: ParticipantView): WireParticipant {
  return { handle, name, role };
}

type Timed = Pick<ThreadView, 'acceptedAt' | 'completedAt' | 'cancelledAt'>;

function times({
  acceptedAt,
  completedAt,
  cancelledAt,
}: Timed): Pick<WireThread, 'accepted_at' | 'completed_at' | 'cancelled_at'> {
  return {
    accepted_at: acceptedAt?.toISOString() ?? null,
    completed_at: completedAt?.toISOString() ?? null,
    cancelled_at: cancelledAt?.toISOString() ?? null,
  };
}

/** The supervised-work reading of a state (work.md 5.3). */
function workStatus({ status, outcome }: Pick<ThreadView, 'status' | 'outcome'>): WorkStatus {
  switch (status) {
    case 'pending':
      return 'READY';
    case 'accepted':
      return 'IN_PROGRESS';
    case 'completed':
      return outcome === 'failed' ? 'FAILED' : 'ANSWERED';
    case 'cancelled':
      return 'CANCELLED';
  }
}

import type { WireList, WireListItem, WireThread, WorkStatus } from '@agentrelay/protocol';
import type { Call } from './commands';
import { ARTIFACTS, type Handoff, HANDLES, type Message, PROPOSAL, type State, unread } from './state';

/** What the model says a reader gets. Ids and times are those that answers have told. */

const participant = (agent: number): object => ({
  handle: HANDLES[agent],
  name: `The agent ${HANDLES[agent]}`,
  role: 'developer',
});

function workStatus({ status, outcome }: Handoff): WorkStatus {
  const ended = outcome === 'failed' ? 'FAILED' : 'ANSWERED';
  return ({ pending: 'READY', accepted: 'IN_PROGRESS', completed: ended, cancelled: 'CANCELLED' } as const)[status];
}

export function transitionView(handoff: Handoff): object {
  const { id, status, version, updatedAt, outcome } = handoff;
  return {
    task_id: id,
    thread_id: id,
    status: { state: status },
    work_status: workStatus(handoff),
    version,
    updated_at: updatedAt,
    accepted_at: handoff.acceptedAt ?? null,
    completed_at: handoff.completedAt ?? null,
    cancelled_at: handoff.cancelledAt ?? null,
    completion_artifacts: resultOf(handoff)?.artifacts ?? [],
    ...(outcome === undefined ? {} : { outcome }),
  };
}

/** The messages that a read asks for: the newest `historyLength` above `after`. */
export function shown(handoff: Handoff, after = 0, historyLength?: number): { first: number; messages: Message[] } {
  const first = Math.max(after, historyLength === undefined ? 0 : handoff.messages.length - historyLength) + 1;
  return { first, messages: handoff.messages.slice(first - 1) };
}

export function threadView(handoff: Handoff, reader: number, after?: number, historyLength?: number): object {
  const { first, messages } = shown(handoff, after, historyLength);
  const views = messages.map((message, i) => messageView(message, first + i));
  const { completion_artifacts, ...transition } = transitionView(handoff) as { completion_artifacts: object };
  return {
    ...transition,
    completion_artifacts,
    sender: participant(handoff.sender),
    recipient: participant(handoff.recipient),
    intent: handoff.intent,
    summary: handoff.messages[0]!.body,
    artifacts: handoff.messages[0]!.artifacts,
    proposed_action: handoff.intent === 'propose_action' ? PROPOSAL : null,
    metadata: {},
    messages: views,
    unread_messages: unread(handoff, reader),
    created_at: handoff.createdAt,
    completed_summary: resultOf(handoff)?.body ?? null,
    delivery: {
      stored: true,
      notified: false,
      listed: handoff.listed,
      opened: handoff.opened,
      accepted: handoff.acceptedAt !== undefined,
      completed: handoff.completedAt !== undefined,
    },
    inbox_url: handoff.inboxUrl,
  };
}

/** An answered thread in the terms of `threadView`: steps taken or not, message ids only where they were told before. */
export function comparableThread(thread: WireThread, handoff: Handoff): object {
  const messages = thread.messages.map(({ id, ...message }) => {
    const known = handoff.messages[message.sequence_no - 1]?.id;
    return known === undefined ? message : { id, ...message };
  });
  const delivery = Object.fromEntries(Object.entries(thread.delivery).map(([step, taken]) => [step, 'at' in taken]));
  return { ...thread, messages, delivery };
}

function messageView({ author, kind, body, payload, artifacts, at, id }: Message, sequenceNo: number): object {
  return {
    ...(id === undefined ? {} : { id }),
    sequence_no: sequenceNo,
    author_id: AGENT_IDS[author],
    from: HANDLES[author],
    kind,
    body,
    payload,
    artifacts,
    created_at: at,
  };
}

/** The ids of the agents, once they are registered. */
export const AGENT_IDS: string[] = [];

function resultOf(handoff: Handoff): Message | undefined {
  return handoff.messages.find(({ kind }) => kind === 'result');
}

/** The numbers of the handoffs that a list shows, newest activity first. */
export function listed(state: State, call: Extract<Call, { do: 'list' }>): number[] {
  const { by, role, status, intent, counterpart } = call;
  return state.handoffs
    .map((handoff, n) => ({ handoff, n }))
    .filter(({ handoff: h }) => {
      const mine = (role !== 'sender' && h.recipient === by) || (role !== 'recipient' && h.sender === by);
      const other = h.sender === by ? h.recipient : h.sender;
      return (
        mine &&
        (status.length === 0 || status.includes(h.status)) &&
        (intent === undefined || h.intent === intent) &&
        (counterpart === undefined || other === counterpart)
      );
    })
    .sort(({ handoff: a }, { handoff: b }) => (`${a.updatedAt} ${a.id}` < `${b.updatedAt} ${b.id}` ? 1 : -1))
    .map(({ n }) => n);
}

/** The pages of a list, each without its cursor and time. */
export function listView(state: State, numbers: number[], by: number, limit: number): Comparable[] {
  const total = numbers.reduce((sum, n) => sum + unread(state.handoffs[n]!, by), 0);
  const pages = Math.max(1, Math.ceil(numbers.length / limit));
  return Array.from({ length: pages }, (_, page) => ({
    items: numbers.slice(page * limit, (page + 1) * limit).map((n) => itemView(state.handoffs[n]!, by)),
    unread_total: total,
    more: page < pages - 1,
  }));
}

type Comparable = Pick<WireList, 'unread_total'> & { items: object[]; more: boolean };

export function comparablePage({ items, unread_total, next_cursor }: WireList): Comparable {
  return { items, unread_total, more: next_cursor !== null };
}

function itemView(handoff: Handoff, reader: number): WireListItem {
  return {
    task_id: handoff.id,
    thread_id: handoff.id,
    status: { state: handoff.status },
    work_status: workStatus(handoff),
    intent: handoff.intent,
    sender: participant(handoff.sender) as WireListItem['sender'],
    recipient: participant(handoff.recipient) as WireListItem['recipient'],
    summary_preview: handoff.messages[0]!.body,
    unread_messages: unread(handoff, reader),
    artifact_count: handoff.messages[0]!.artifacts.length,
    created_at: handoff.createdAt,
    updated_at: handoff.updatedAt,
  };
}

export const artifactsOf = (n: number): (typeof ARTIFACTS)[number] => ARTIFACTS[n]!;

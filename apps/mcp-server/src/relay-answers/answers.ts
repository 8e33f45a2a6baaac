import { LIMITS } from '@agentrelay/protocol';
import type { RelayClient } from '@agentrelay/relay-client';
import {
  anyObject,
  author,
  count,
  cursor,
  handle,
  id,
  link,
  list,
  nullable,
  object,
  optional,
  type Shape,
  text,
  time,
  traceparent,
  word,
} from './shapes';

type Method = Parameters<RelayClient['read']>[0] | Parameters<RelayClient['write']>[0];

/** Bounds that no relay reaches: a wrong answer must not keep this process busy. */
const MOST = { entries: 1_000, messages: LIMITS.messagesPerThread * 2, members: 2_000 };

const status = object({ state: word });
const participant = object({ handle, name: text, role: text });
const artifacts = list(object({ type: text }), MOST.members);

const message = object({
  sequence_no: count,
  from: author,
  kind: word,
  body: text,
  payload: anyObject,
  artifacts,
  created_at: time,
});

const proposedAction = object({
  description: text,
  rationale: text,
  target_files: list(text, MOST.members),
  suggested_diff: optional(text),
});

const thread = object({
  thread_id: id,
  sender: participant,
  recipient: participant,
  status,
  intent: word,
  metadata: anyObject,
  proposed_action: nullable(proposedAction),
  messages: list(message, MOST.messages),
  unread_messages: count,
  version: count,
  created_at: time,
  updated_at: time,
  accepted_at: nullable(time),
  completed_at: nullable(time),
  cancelled_at: nullable(time),
  outcome: optional(word),
  inbox_url: link,
  traceparent: optional(traceparent),
  next_after_sequence_no: optional(count),
  omitted: optional(list(text, MOST.messages)),
});

const item = object({
  thread_id: id,
  status,
  intent: word,
  sender: participant,
  recipient: participant,
  summary_preview: text,
  unread_messages: count,
  artifact_count: count,
  created_at: time,
  updated_at: time,
});

const teammate = object({
  handle,
  name: text,
  role: text,
  description: text,
  skills: list(text, MOST.members),
  repos_owned: list(text, MOST.members),
});

const event = object({ type: word, actor: text, thread_id: optional(id), created_at: time, cursor });

/** The task of a handoff, or the message of a thread: `message/send` answers either. */
const sent: Shape = (value, where) => {
  const isMessage = typeof value === 'object' && value !== null && 'message_id' in value;
  (isMessage ? appended : handedOver)(value, where);
};
const handedOver = object({ thread_id: id, status, recipient: handle, created_at: time, inbox_url: optional(link) });
const appended = object({ thread_id: id, message_id: id, sequence_no: count, created_at: time });

const transition = object({
  thread_id: id,
  status,
  outcome: optional(word),
  completed_at: nullable(time),
  cancelled_at: nullable(time),
  thread: optional(thread),
});

export const ANSWERS: Readonly<Record<Method, Shape>> = {
  'message/send': sent,
  'tasks/draft': appended,
  'tasks/get': thread,
  'tasks/list': object({ items: list(item, MOST.entries), next_cursor: nullable(cursor), unread_total: count }),
  'tasks/update': transition,
  'tasks/cancel': transition,
  'events/list': object({ events: list(event, MOST.entries), cursor }),
  'agents/list': object({ teammates: list(teammate, MOST.entries), next_cursor: nullable(cursor) }),
};

export const SELF = object({ handle, principal: word });

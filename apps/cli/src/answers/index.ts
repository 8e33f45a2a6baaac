import { LIMITS } from '@agentrelay/protocol';
import {
  anyObject,
  count,
  cursor,
  flag,
  handle,
  id,
  list,
  nullable,
  object,
  optional,
  secret,
  text,
  time,
  url,
  word,
} from './shapes';

export { StrangeAnswer } from './shapes';

/** Entries that no honest page of an answer exceeds. */
const PAGE = 1_000;

const participant = object({ handle, name: text, role: text });
const status = object({ state: word });
const artifact = object({ type: text });

export const agent = object({ agent_id: id, handle, name: text, role: text, status: word, principal: word });

export const listPage = object({
  items: list(
    object({
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
    }),
    PAGE,
  ),
  next_cursor: nullable(cursor),
  unread_total: count,
  as_of: optional(time),
});

const message = object({
  sequence_no: count,
  from: text,
  kind: word,
  body: text,
  payload: anyObject,
  artifacts: list(artifact, LIMITS.artifactsPerMessage * 20),
  created_at: time,
});

const proposedAction = object({
  description: text,
  rationale: text,
  target_files: list(text, LIMITS.targetFiles * 20),
  suggested_diff: optional(text),
});

export const thread = object({
  thread_id: id,
  sender: participant,
  recipient: participant,
  status,
  intent: word,
  outcome: optional(word),
  metadata: anyObject,
  proposed_action: nullable(proposedAction),
  messages: list(message, LIMITS.messagesPerThread * 2),
  omitted: optional(list(text, LIMITS.messagesPerThread * 2)),
  created_at: time,
  next_after_sequence_no: optional(count),
});

export const sent = object({ thread_id: id, status, recipient: handle, created_at: time, inbox_url: optional(text) });
export const appended = object({ thread_id: id, message_id: id, sequence_no: count, created_at: time });
export const transition = object({
  thread_id: id,
  status,
  outcome: optional(word),
  completed_at: nullable(time),
  cancelled_at: nullable(time),
});
export const events = object({
  events: list(
    object({ type: word, actor: text, thread_id: optional(id), agent: optional(text), created_at: time, cursor }),
    PAGE,
  ),
  cursor,
});
export const auditPage = object({
  events: list(
    object({ type: word, actor: text, thread_id: optional(id), agent: optional(text), created_at: time }),
    PAGE,
  ),
  next_cursor: nullable(cursor),
});
export const blocks = list(object({ handle, created_at: time }), 100_000);
export const issuedKey = object({ api_key: secret, key_id: word, expires_at: nullable(time) });
export const keys = list(
  object({
    key_id: id,
    principal: word,
    label: text,
    parent_key_id: nullable(id),
    created_at: time,
    expires_at: nullable(time),
    last_used_at: nullable(time),
    current: flag,
  }),
  PAGE,
);
export const endedKey = object({ key_id: id, ended: list(id, 100_000) });
export const registered = object({ agent_id: id, handle, api_key: secret });
export const invite = object({ url: inviteUrl, jti: word, expires_at: time, replaces_keys: optional(flag) });

/** The link of an invite: nothing in it means anything to a shell, quoted or not. */
function inviteUrl(value: unknown, at: string): string {
  const [base, fragment] = text(value, at).split('#');
  url(base, at);
  if (!/^v1\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(fragment ?? '')) return url('', at);
  return value as string;
}

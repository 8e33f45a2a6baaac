import type { Artifact } from './artifacts';
import type { HandoffState, Intent, MessageKind, Outcome, Principal, WorkStatus } from './vocabulary';

/** Result shapes of the native API (wire.md, "Methods on /a2a"). Times are ISO 8601 UTC with milliseconds. */

export interface WireParticipant {
  handle: string;
  name: string;
  role: string;
}

export interface WireProposedAction {
  description: string;
  target_files: string[];
  rationale: string;
  suggested_diff?: string;
}

export interface WireMessage {
  id: string;
  sequence_no: number;
  /** Absent on messages of the relay itself, whose `from` is `system`. */
  author_id?: string;
  from: string;
  kind: MessageKind;
  body: string;
  payload: Record<string, unknown>;
  artifacts: Artifact[];
  created_at: string;
}

export interface WireStatus {
  state: HandoffState;
}

export interface WireSent {
  task_id: string;
  thread_id: string;
  status: WireStatus;
  recipient: string;
  created_at: string;
  inbox_url: string;
  version: number;
  replayed?: true;
}

export interface WireAppended {
  task_id: string;
  thread_id: string;
  message_id: string;
  sequence_no: number;
  created_at: string;
  replayed?: true;
}

/** A step on the way to the recipient: when it was taken, or why it was not yet. */
export type WireDeliveryStep = { at: string } | { cause: string };

export interface WireThread {
  task_id: string;
  thread_id: string;
  sender: WireParticipant;
  recipient: WireParticipant;
  status: WireStatus;
  work_status: WorkStatus;
  intent: Intent;
  summary: string;
  artifacts: Artifact[];
  proposed_action: WireProposedAction | null;
  metadata: Record<string, unknown>;
  messages: WireMessage[];
  unread_messages: number;
  created_at: string;
  accepted_at: string | null;
  completed_at: string | null;
  cancelled_at: string | null;
  completed_summary: string | null;
  completion_artifacts: Artifact[];
  outcome?: Outcome;
  delivery: Record<'stored' | 'notified' | 'listed' | 'opened' | 'accepted' | 'completed', WireDeliveryStep>;
  inbox_url: string;
  /** The trace that it was sent in (W3C Trace Context), for whoever goes on with the work. */
  traceparent?: string;
  version: number;
  updated_at: string;
  /** Present when the bound of an answer was reached: reading on with `after_sequence_no` at this number yields what follows. */
  next_after_sequence_no?: number;
  /** Members that did not fit beside the messages that hold them, and are empty here. */
  omitted?: string[];
}

export interface WireTransition {
  task_id: string;
  thread_id: string;
  status: WireStatus;
  work_status: WorkStatus;
  version: number;
  updated_at: string;
  accepted_at: string | null;
  completed_at: string | null;
  cancelled_at: string | null;
  completion_artifacts: Artifact[];
  outcome?: Outcome;
  thread?: WireThread;
  /** Names `thread` when it was asked for and the answers of the batch had no room left for it. */
  omitted?: 'thread'[];
  replayed?: true;
}

export interface WireListItem {
  task_id: string;
  thread_id: string;
  status: WireStatus;
  work_status: WorkStatus;
  intent: Intent;
  sender: WireParticipant;
  recipient: WireParticipant;
  summary_preview: string;
  unread_messages: number;
  artifact_count: number;
  created_at: string;
  updated_at: string;
}

export interface WireList {
  items: WireListItem[];
  next_cursor: string | null;
  /** Counted over at most the 1,000 matching handoffs with the newest activity. */
  unread_total: number;
  /** On the first page: `updated_since` with this time later yields everything that moved. */
  as_of?: string;
}

export interface WireTeammate {
  handle: string;
  name: string;
  role: string;
  description: string;
  skills: string[];
  repos_owned: string[];
  card_url: string;
}

export interface WireRoster {
  teammates: WireTeammate[];
  next_cursor: string | null;
}

export interface WireEvent {
  id: string;
  /** Reading on from here yields what comes after this event. */
  cursor: string;
  type: string;
  /** Handle of the acting agent, name of the administrator, or `system`. */
  actor: string;
  actor_kind: 'agent' | 'human' | 'admin' | 'system';
  task_id?: string;
  thread_id?: string;
  /** The agent that an event outside any thread concerns. */
  agent?: string;
  payload: Record<string, unknown>;
  request_id: string;
  created_at: string;
}

export interface WireEvents {
  events: WireEvent[];
  cursor: string;
}

export interface WireAgent {
  agent_id: string;
  handle: string;
  name: string;
  role: string;
  status: 'active' | 'disabled';
  description: string;
  skills: string[];
  repos_owned: string[];
  owner_email?: string;
}

export interface WireBlock {
  handle: string;
  reason?: string;
  created_at: string;
}

/** A key of an agent, without the key itself. */
export interface WireKey {
  key_id: string;
  principal: Principal;
  label: string;
  /** The key whose holder made this one by rotating; null for one that an administrator or an invite gave. */
  parent_key_id: string | null;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

/** What a rotation gives: the only time that the key is shown. */
export interface WireIssuedKey {
  agent_id: string;
  api_key: string;
  key_id: string;
  expires_at: string | null;
}

/** The key that was to end, and every key that ended for that, itself first. */
export interface WireEndedKey {
  /** Present when it had been done before under the same idempotency key. */
  replayed?: true;
  key_id: string;
  ended: string[];
}

/** `error.data` of every JSON-RPC error; clients branch on `code`. `details` is the last member on purpose. */
export interface WireErrorData {
  code: string;
  request_id: string;
  details: Record<string, unknown>;
}

export interface WireRpcError {
  jsonrpc: '2.0';
  id: string | number | null;
  error: { code: number; message: string; data: WireErrorData };
}

export interface WireRpcResult {
  jsonrpc: '2.0';
  id: string | number | null;
  result: unknown;
}

export type WireRpcAnswer = WireRpcResult | WireRpcError;

import type {
  Artifact,
  HandoffState,
  Intent,
  ListRole,
  Outcome,
  WireAppended,
  WireEvents,
  WireList,
  WireProposedAction,
  WireRoster,
  WireSent,
  WireThread,
  WireTransition,
} from '@agentrelay/protocol';

interface TextMessageParam {
  role: 'user' | 'agent';
  parts: { type: 'text'; text: string }[];
}

/** The native API's methods as this client calls them. */
export interface RpcMethods {
  'message/send': {
    params: {
      task_id: string | null;
      recipient?: string;
      intent?: Intent;
      message: TextMessageParam;
      artifacts?: Artifact[];
      proposed_action?: WireProposedAction;
      payload?: Record<string, unknown>;
      metadata?: Record<string, unknown>;
    };
    result: WireSent | WireAppended;
  };
  'tasks/get': { params: { task_id: string; mark_read?: boolean; after_sequence_no?: number }; result: WireThread };
  'tasks/list': {
    params: {
      peek?: boolean;
      filter?: { role?: ListRole; status?: HandoffState[]; since?: string; updated_since?: string };
      page?: { limit?: number; cursor?: string };
    };
    result: WireList;
  };
  'tasks/update': {
    params:
      | { task_id: string; transition: 'accept'; session_id: string; include_thread: boolean }
      | {
          task_id: string;
          transition: 'complete';
          session_id: string;
          result_summary: string;
          artifacts?: Artifact[];
          outcome?: Outcome;
        };
    result: WireTransition;
  };
  'tasks/cancel': { params: { task_id: string }; result: WireTransition };
  'tasks/draft': {
    params: {
      task_id: string;
      drafted_diff: string;
      drafted_files: string[];
      rationale: string;
      alternatives_considered?: string;
      metadata?: Record<string, unknown>;
    };
    result: WireAppended;
  };
  'events/list': {
    params: { cursor: string; wait_ms?: number; limit?: number; include_own?: boolean };
    result: WireEvents;
  };
  'agents/list': {
    params: { role?: string; skill?: string; repo?: string; page?: { limit?: number; cursor?: string } };
    result: WireRoster;
  };
}

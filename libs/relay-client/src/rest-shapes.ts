import type { WireEvent } from '@agentrelay/protocol';

/** Bodies of the REST routes that programs on a workstation use (wire.md, "REST"). */

export interface RegisteredAgent {
  agent_id: string;
  handle: string;
  api_key: string;
}

export interface NewAgent {
  handle: string;
  email?: string;
  display_name?: string;
  role?: string;
}

export interface NewInvite {
  handle: string;
  inviter_handle: string;
  role?: string;
  email?: string;
  expires_in_seconds?: number;
}

export interface MintedInvite {
  url: string;
  jti: string;
  expires_at: string;
  /** The handle is registered: the link gives it a new key, and the agent's others end. */
  replaces_keys?: boolean;
}

export interface AuditFilter {
  since?: string | undefined;
  action?: string | undefined;
  from?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface AuditPage {
  events: WireEvent[];
  next_cursor: string | null;
}

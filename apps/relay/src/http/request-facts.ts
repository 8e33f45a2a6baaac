import type { IncomingMessage } from 'node:http';

/** What the log tells of a request beside its line: who made it, from where, and what was called. Never a secret. */
export interface RequestFacts {
  client?: string;
  agent_id?: string;
  key_id?: string;
  principal?: string;
  administrator?: string;
  /** Of a batch the method of each entry; `unknown` for what is none. */
  rpc_method?: string;
}

const known = new WeakMap<IncomingMessage, RequestFacts>();

/** Adds to what the log tells of a request. */
export function noteFacts(request: IncomingMessage, facts: RequestFacts): void {
  known.set(request, { ...known.get(request), ...facts });
}

/** What has been noted of a request; undefined before anything has. */
export function factsOf(request: IncomingMessage): RequestFacts | undefined {
  return known.get(request);
}

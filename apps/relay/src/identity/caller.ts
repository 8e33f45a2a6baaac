import type { Principal } from '@agentrelay/protocol';

/** Who makes a request: an agent, through one of its keys, in the hand of an agent or of a person. */
export interface Caller {
  readonly kind: 'caller';
  readonly agentId: string;
  readonly handle: string;
  readonly principal: Principal;
  readonly keyId: string;
}

/** A named holder of an admin token. */
export interface Administrator {
  readonly kind: 'administrator';
  readonly name: string;
}

export type Identity = Caller | Administrator;

/** What every command carries besides its own arguments: by whom, in which request, under which key. */
export interface Invocation<Who extends Identity = Caller> {
  readonly by: Who;
  readonly requestId: string;
  readonly idempotencyKey?: string | undefined;
}

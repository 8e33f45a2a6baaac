import type { Principal } from '@agentrelay/protocol';
import type { AnswerRoom } from '../http';

/** Who makes a request: an agent, through one of its credentials, in the hand of an agent or of a person. */
export interface Caller {
  readonly kind: 'caller';
  readonly agentId: string;
  readonly handle: string;
  readonly principal: Principal;
  /** Names the credential: the id of an API key, or a name that an authentication strategy gave. */
  readonly keyId: string;
  /** For a caller that an authentication strategy vouches for instead of a key: until when. */
  readonly externalUntil?: Date | 'revoked';
}

/** A named holder of an admin token. */
export interface Administrator {
  readonly kind: 'administrator';
  readonly name: string;
}

/** Whom rates, waits and bytes are counted for: an agent, and apart from it the person behind it, whatever their keys. */
export function subjectOf({ agentId, principal }: Caller): string {
  return `${principal} ${agentId}`;
}

export type Identity = Caller | Administrator;

/** What every command carries besides its own arguments: by whom, in which request, under which key. */
export interface CommandContext<Who extends Identity = Caller> {
  readonly by: Who;
  readonly requestId: string;
  readonly idempotencyKey?: string | undefined;
  /** The trace that the request belongs to (W3C Trace Context). */
  readonly traceparent?: string | undefined;
  /** What the request may be answered with, where that is shared or counted. */
  readonly room?: AnswerRoom | undefined;
}

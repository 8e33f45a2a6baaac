import { createHash } from 'node:crypto';
import type { Principal } from '@agentrelay/protocol';
import canonicalize from 'canonicalize';
import type { Invocation } from '../identity';

/** Commands that share a key space: one name, whatever door a call came through. */
export type IdempotentCommand =
  'handoff.send' | 'handoff.accept' | 'handoff.complete' | 'handoff.cancel' | 'message.append' | 'draft.append';

/** A key that a write wants to be remembered under. */
export interface Claim {
  readonly agentId: string;
  readonly principal: Principal;
  readonly command: IdempotentCommand;
  readonly key: string;
  readonly argumentsHash: Buffer;
}

/**
 * The claim of an invocation, or undefined when it carries no key. Equal arguments hash equally
 * whatever the order of their members (RFC 8785).
 */
export function claimOf(invocation: Invocation, command: IdempotentCommand, args: object): Claim | undefined {
  if (invocation.idempotencyKey === undefined) return undefined;
  const { agentId, principal } = invocation.by;
  const argumentsHash = createHash('sha256')
    .update(canonicalize(args) ?? '')
    .digest();
  return { agentId, principal, command, key: invocation.idempotencyKey, argumentsHash };
}

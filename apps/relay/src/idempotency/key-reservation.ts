import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Identity, CommandContext } from '../identity';

/** Names commands that share a key space, such as `handoff.send`: one name, whatever API a call came through. */
export type IdempotentCommand = `${string}.${string}`;

/** A key that a write wants to be remembered under. */
export interface KeyReservation {
  /** Whose key space it is: an agent's, apart for the agent and for the person behind it, or an administrator's. */
  readonly scope: string;
  readonly command: IdempotentCommand;
  readonly key: string;
  readonly argumentsHash: Buffer;
}

/**
 * The reservation of a command, or undefined when it carries no key. Equal arguments hash equally
 * whatever the order of their members (RFC 8785).
 */
export function reservationFor(
  context: CommandContext<Identity>,
  command: IdempotentCommand,
  args: object,
): KeyReservation | undefined {
  if (context.idempotencyKey === undefined) return undefined;
  return { scope: scopeOf(context.by), command, key: context.idempotencyKey, argumentsHash: hashOf(args) };
}

/** What arguments are compared by. */
export function hashOf(args: object): Buffer {
  return createHash('sha256')
    .update(canonicalize(args) ?? '')
    .digest();
}

function scopeOf(by: Identity): string {
  return by.kind === 'caller' ? `${by.agentId}/${by.principal}` : `admin/${by.name}`;
}

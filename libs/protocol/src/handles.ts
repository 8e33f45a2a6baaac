import { LIMITS } from './limits';

/** `name@team` as seed 000 writes it. */
export const HANDLE_PATTERN = /^[A-Za-z0-9._-]+@[A-Za-z0-9._-]+$/;

/** A full handle or a bare name that the relay resolves where it is unambiguous. */
export const RECIPIENT_PATTERN = /^[A-Za-z0-9._-]+(@[A-Za-z0-9._-]+)?$/;

/**
 * Members that every JavaScript object has: no name and no team, so that no program which looks one up by itself takes such a
 * member for a teammate.
 */
const OBJECT_MEMBERS = new Set([
  'prototype',
  ...Object.getOwnPropertyNames(Object.prototype).map((name) => name.toLowerCase()),
]);

/**
 * Local parts that nobody may register: words of our URLs, which would shadow a route; and actors that are no
 * agents.
 */
const RESERVED_NAMES = new Set([
  'admin', 'agents', 'card', 'extendedagentcard', 'inbox', 'me', 'message', 'tasks', 'v1',
  'agentrelay', 'relay', 'system',
  ...OBJECT_MEMBERS,
]); // prettier-ignore

/** The canonical (lower-case) spelling that is stored and compared (domain.md 1). */
export function canonicalHandle(handle: string): string {
  return handle.toLowerCase();
}

/** The name before the `@`. */
export function localPart(handle: string): string {
  return handle.slice(0, handle.indexOf('@'));
}

/** Why `handle` may not be registered (in a team, when given), or undefined when it may. */
export function handleFault(handle: string, team?: string): string | undefined {
  if (handle.length > LIMITS.handleLength) return `must be at most ${LIMITS.handleLength} characters`;
  if (!HANDLE_PATTERN.test(handle)) return 'must look like name@team, with letters, digits, ".", "_" or "-"';
  const canonical = canonicalHandle(handle);
  const [name = '', handleTeam = ''] = canonical.split('@');
  if (name.startsWith('-') || handleTeam.startsWith('-'))
    return 'must not begin with "-", as options do, nor must its team';
  if (/^\.+$/.test(name) || /^\.+$/.test(handleTeam)) return 'must not consist of dots only';
  if (RESERVED_NAMES.has(name)) return `must not use the reserved name "${name}"`;
  if (OBJECT_MEMBERS.has(handleTeam)) return `must not use the reserved team "${handleTeam}"`;
  if (team !== undefined && handleTeam !== team.toLowerCase()) return `must belong to this relay's team: name@${team}`;
  return undefined;
}

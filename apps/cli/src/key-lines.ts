import type { CheckedRelay } from './relay';
import { shortLine } from './short-line';

export type Key = Awaited<ReturnType<CheckedRelay['keys']>>[number];

/** A key as JSON shows it: these members and no other that the relay may send. */
export function wireKey(key: Key) {
  const { key_id, label, principal, parent_key_id, created_at, last_used_at, expires_at, current } = key;
  return { key_id, label, principal, parent_key_id, created_at, last_used_at, expires_at, current };
}

export function keyLine({ key_id, label, principal, parent_key_id, current, ...times }: Key): string {
  const facts = [
    `for ${principal === 'human' ? 'a person' : 'an agent'}`,
    `made ${times.created_at}${parent_key_id === null ? '' : ` with ${parent_key_id}`}`,
    times.last_used_at === null ? 'never used' : `last used ${times.last_used_at}`,
    times.expires_at === null ? 'no end' : `ends ${times.expires_at}`,
  ];
  return `${key_id}  “${shortLine(label)}”${current ? ' (this one)' : ''}: ${facts.join(', ')}`;
}

import type { WireListItem } from '@agentrelay/protocol';
import type { Budget } from '../result-budget';
import type { Listed } from './inbox-reader';

/** What one handoff takes at most, with the longest handles and the reason why it is withheld. */
const MOST_CHARACTERS_OF_ITEM = 700;
/** Sentences around the handoffs. */
const AROUND = 1_500;

/** How many handoffs of each kind fit into a digest, whatever they are. */
export function inboxRoom({ characters }: Budget): { items: number; answers: number } {
  const fitting = Math.floor((characters - AROUND) / MOST_CHARACTERS_OF_ITEM);
  const answers = Math.max(1, Math.floor(fitting / 4));
  return { items: Math.max(1, fitting - answers), answers };
}

/** Some of the threads with unread replies, and where to read on. */
export interface AnswersPage extends Listed {
  next: string | null;
}

const CURSOR = /^([^~]{1,40})~([0-9a-f-]{36})$/;

/**
 * The answers behind a cursor, which names the last one shown: by its id, or by its time where it is no longer unread. A cursor that
 * is none begins anew.
 */
export function answersAfter({ items, isWhole }: Listed, cursor: string | undefined, most: number): AnswersPage {
  const [, time = '', id] = CURSOR.exec(cursor ?? '') ?? [];
  const rest = id === undefined ? items : behind(items, time, id);
  const shown = rest.slice(0, most);
  const last = shown.at(-1);
  const next = rest.length > shown.length && last !== undefined ? `${last.updated_at}~${last.thread_id}` : null;
  return { items: shown, isWhole, next };
}

function behind(items: readonly WireListItem[], time: string, id: string): WireListItem[] {
  const at = items.findIndex(({ thread_id, updated_at }) => thread_id === id && updated_at === time);
  return at >= 0 ? items.slice(at + 1) : items.filter(({ updated_at }) => updated_at < time);
}

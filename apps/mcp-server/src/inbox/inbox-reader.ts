import { type HandoffState, LIMITS, type ListRole, type WireList, type WireListItem } from '@agentrelay/protocol';
import type { TrustFile } from '@agentrelay/workstation';
import type { CheckedRelay } from '../relay-answers';
import { itemTrust } from './inbox-item';

interface ListFilter {
  role: ListRole;
  status?: HandoffState[];
}

/** What waits for somebody. */
export const WAITING: readonly HandoffState[] = ['pending', 'accepted'];

/** How many handoffs an inbox shows unless asked for more. */
export const INBOX_PAGE = 20;

/** How many handoffs are looked through, those with the newest activity: as many as the relay counts over. */
const MOST_THREADS = 1_000;

/** Handoffs of the caller, and whether they are all that match. */
export interface Listed {
  items: WireListItem[];
  isWhole: boolean;
}

/** The caller's sent threads, completed ones included, that hold messages which they have not read. */
export async function unreadAnswers(client: CheckedRelay): Promise<Listed> {
  const { items, isWhole } = await listEach(client, { role: 'sender' });
  return { items: items.filter(({ unread_messages }) => unread_messages > 0), isWhole };
}

/** The caller's threads with messages that they have not read and may be shown; looking marks nothing. */
export async function unreadThreads(client: CheckedRelay, trust: TrustFile, self: string): Promise<WireListItem[]> {
  const filters: ListFilter[] = [{ role: 'recipient', status: [...WAITING] }, { role: 'sender' }];
  const lists = await Promise.all(filters.map((filter) => unreadOf(client, filter)));
  return lists.flat().filter((entry) => itemTrust(entry, trust, self).verdict !== 'withheld');
}

/** Looks through the threads only where the count of all of them says that there is something. */
async function unreadOf(client: CheckedRelay, filter: ListFilter): Promise<WireListItem[]> {
  const { unread_total } = await client.read('tasks/list', { filter, page: { limit: 1 }, peek: true });
  if (unread_total === 0) return [];
  const { items } = await listEach(client, filter);
  return items.filter(({ unread_messages }) => unread_messages > 0);
}

/** Pages through what matches, newest activity first, up to the bound. */
async function listEach(client: CheckedRelay, filter: ListFilter): Promise<Listed> {
  const items: WireListItem[] = [];
  let cursor: string | null = null;
  do {
    const page: { limit: number; cursor?: string } = { limit: LIMITS.listPage, ...(cursor !== null && { cursor }) };
    const list: WireList = await client.read('tasks/list', { filter, page, peek: true });
    for (const item of list.items) items.push(item);
    cursor = list.items.length === 0 ? null : list.next_cursor;
  } while (cursor !== null && items.length < MOST_THREADS);
  return { items, isWhole: cursor === null };
}

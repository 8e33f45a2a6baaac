import { type HandoffState, LIMITS, type ListRole, type WireList, type WireListItem } from '@agentrelay/protocol';
import type { RelayClient } from '@agentrelay/relay-client';
import type { TrustFile } from '@agentrelay/workstation';
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
export async function unreadAnswers(client: RelayClient): Promise<Listed> {
  const { items, isWhole } = await listEach(client, { role: 'sender' });
  return { items: items.filter(({ unread_messages }) => unread_messages > 0), isWhole };
}

/** How many messages the caller has not read and may be shown; looking marks nothing. */
export async function unreadMessages(client: RelayClient, trust: TrustFile, self: string): Promise<number> {
  const counts = [{ role: 'recipient' as const, status: [...WAITING] }, { role: 'sender' as const }].map((filter) =>
    trust.mayWithhold() ? shownUnread(client, filter, trust, self) : unreadTotal(client, filter),
  );
  return (await Promise.all(counts)).reduce((total, count) => total + count, 0);
}

async function unreadTotal(client: RelayClient, filter: ListFilter): Promise<number> {
  return (await client.read('tasks/list', { filter, page: { limit: 1 }, peek: true })).unread_total;
}

/** As `unreadTotal`, without what is withheld: nobody could ever read that here. */
async function shownUnread(client: RelayClient, filter: ListFilter, trust: TrustFile, self: string): Promise<number> {
  const { items } = await listEach(client, filter);
  return items
    .filter((entry) => itemTrust(entry, trust, self).verdict !== 'withheld')
    .reduce((total, { unread_messages }) => total + unread_messages, 0);
}

/** Pages through what matches, newest activity first, up to the bound. */
async function listEach(client: RelayClient, filter: ListFilter): Promise<Listed> {
  const items: WireListItem[] = [];
  let cursor: string | null = null;
  do {
    const page: { limit: number; cursor?: string } = { limit: LIMITS.listPage, ...(cursor !== null && { cursor }) };
    const list: WireList = await client.read('tasks/list', { filter, page, peek: true });
    items.push(...list.items);
    cursor = list.next_cursor;
  } while (cursor !== null && items.length < MOST_THREADS);
  return { items, isWhole: cursor === null };
}

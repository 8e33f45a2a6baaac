import { type HandoffState, LIMITS, type WireListItem } from '@agentrelay/protocol';
import type { RelayClient } from '@agentrelay/relay-client';

/** What waits for somebody. */
export const WAITING: readonly HandoffState[] = ['pending', 'accepted'];

/** How many handoffs an inbox shows unless asked for more. */
export const INBOX_PAGE = 20;

/** How many of the newest sent threads are looked through for answers. */
const ANSWERS_WINDOW = LIMITS.listPageDefault;

/** The caller's sent threads, completed ones included, that hold messages which they have not read. */
export async function unreadAnswers(client: RelayClient): Promise<WireListItem[]> {
  const sent = await client.read('tasks/list', {
    filter: { role: 'sender' },
    page: { limit: ANSWERS_WINDOW },
    peek: true,
  });
  return sent.items.filter(({ unread_messages }) => unread_messages > 0);
}

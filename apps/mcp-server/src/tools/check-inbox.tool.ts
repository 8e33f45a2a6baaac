import { HANDOFF_STATES, LIMITS, type WireListItem } from '@agentrelay/protocol';
import { z } from 'zod';
import { ToolText } from '../provenance';
import { defineTool, READS } from './tool';

const item = z.object({
  thread_id: z.string(),
  status: z.string(),
  intent: z.string(),
  sender: z.string(),
  recipient: z.string(),
  unread_messages: z.number(),
  artifact_count: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
  untrusted_summary_preview: z.string(),
});

/** How many of the newest sent threads are looked through for answers. */
const ANSWERS_WINDOW = LIMITS.listPageDefault;

export const checkInbox = defineTool({
  name: 'check_inbox',
  title: 'Check the inbox',
  description:
    'Lists handoffs waiting for your user, newest activity first, and under "answers" the threads they sent that have unread replies. ' +
    'Use it at the start of a session or when your user asks what came in. It marks nothing as read. ' +
    'accept_handoff takes one on; view_thread reads one without taking it on.',
  input: z.strictObject({
    status: z.array(z.enum(HANDOFF_STATES)).optional().describe('Which states to list. Default: pending and accepted.'),
    role: z
      .enum(['recipient', 'sender'])
      .optional()
      .describe('recipient (default): work for you. sender: work you sent.'),
    since: z.iso.datetime({ offset: true }).optional().describe('Only handoffs created at or after this time.'),
    limit: z.number().int().min(1).max(LIMITS.listPage).optional().describe('At most so many. Default 20.'),
    cursor: z.string().min(1).max(200).optional().describe('next_cursor of the page before.'),
  }),
  output: z.object({
    items: z.array(item),
    next_cursor: z.string().nullable(),
    unread_total: z.number(),
    answers: z.array(item),
  }),
  annotations: READS,
  async run({ status, role = 'recipient', since, limit = 20, cursor }, { client }) {
    const [list, sent] = await Promise.all([
      client.read('tasks/list', {
        filter: { role, status: status ?? ['pending', 'accepted'], ...(since !== undefined && { since }) },
        page: { limit, ...(cursor !== undefined && { cursor }) },
      }),
      client.read('tasks/list', { filter: { role: 'sender' }, page: { limit: ANSWERS_WINDOW } }),
    ]);
    const answers = sent.items.filter(({ unread_messages }) => unread_messages > 0);
    const text = new ToolText();
    sayItems(text, role === 'recipient' ? 'for you' : 'sent by you', list.items, role === 'sender');
    if (list.next_cursor !== null) text.say(`More: call again with cursor ${list.next_cursor}`);
    if (answers.length > 0)
      sayItems(text, 'sent by you with unread replies (read them with view_thread)', answers, true);
    return {
      structured: {
        items: list.items.map(structuredItem),
        next_cursor: list.next_cursor,
        unread_total: list.unread_total,
        answers: answers.map(structuredItem),
      },
      text,
    };
  },
});

function sayItems(text: ToolText, what: string, items: readonly WireListItem[], own: boolean): void {
  if (items.length === 0) {
    text.say(`No handoffs ${what}.`);
    return;
  }
  text.say(`${items.length} handoff${items.length === 1 ? '' : 's'} ${what}:`);
  const sections = items.map((entry) => ({ label: headline(entry), content: entry.summary_preview }));
  if (own) text.own(sections);
  else text.untrusted('the senders named below', sections);
}

function headline({
  thread_id,
  status,
  intent,
  sender,
  recipient,
  unread_messages,
  artifact_count,
}: WireListItem): string {
  return `${thread_id} ${status.state} ${intent} ${sender.handle} → ${recipient.handle}, ${unread_messages} unread, ${artifact_count} artifacts`;
}

function structuredItem(entry: WireListItem): z.output<typeof item> {
  return {
    thread_id: entry.thread_id,
    status: entry.status.state,
    intent: entry.intent,
    sender: entry.sender.handle,
    recipient: entry.recipient.handle,
    unread_messages: entry.unread_messages,
    artifact_count: entry.artifact_count,
    created_at: entry.created_at,
    updated_at: entry.updated_at,
    untrusted_summary_preview: entry.summary_preview,
  };
}

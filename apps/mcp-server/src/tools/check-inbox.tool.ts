import { HANDOFF_STATES, LIMITS } from '@agentrelay/protocol';
import { z } from 'zod';
import {
  answersAfter,
  INBOX_PAGE,
  inboxItemSchema,
  inboxRoom,
  sayInbox,
  structuredItem,
  unreadAnswers,
  WAITING,
} from '../inbox';
import { resultText, time } from './schemas';
import { defineTool, READS } from './tool';

export const checkInbox = defineTool({
  name: 'check_inbox',
  title: 'Check the inbox',
  description:
    'Lists handoffs waiting for your user, newest activity first, and under "answers" the threads they sent that have unread replies. ' +
    'Use it at the start of a session or when your user asks what came in. It marks nothing as read. ' +
    'accept_handoff takes one on; view_thread reads one without taking it on.',
  input: z.object({
    status: z.array(z.enum(HANDOFF_STATES)).optional().describe('Which states to list. Default: pending and accepted.'),
    role: z
      .enum(['recipient', 'sender'])
      .optional()
      .describe('recipient (default): work for you. sender: work you sent.'),
    since: time.optional().describe('Only handoffs created at or after this time.'),
    limit: z
      .number()
      .int()
      .min(1)
      .max(LIMITS.listPage)
      .optional()
      .describe('At most so many; fewer when they would not fit. Default 20.'),
    cursor: z.string().min(1).max(300).optional().describe('next_cursor of the page before.'),
    answers_cursor: z.string().min(1).max(100).optional().describe('next_answers_cursor of the page before.'),
  }),
  output: z.object({
    text: resultText,
    items: z.array(inboxItemSchema),
    next_cursor: z.string().nullable(),
    unread_total: z.number(),
    answers: z.array(inboxItemSchema),
    next_answers_cursor: z.string().nullable(),
  }),
  annotations: READS,
  async run({ status, role = 'recipient', since, limit = INBOX_PAGE, cursor, answers_cursor }, call) {
    const { client, self, session } = call;
    const trust = call.trust();
    const room = inboxRoom(call.budget);
    const filter = { role, status: status ?? [...WAITING], ...(since !== undefined && { since }) };
    const page = { limit: Math.min(limit, room.items), ...(cursor !== undefined && { cursor }) };
    const [list, unread] = await Promise.all([client.read('tasks/list', { filter, page }), unreadAnswers(client)]);
    const answers = answersAfter(unread, answers_cursor, room.answers);
    for (const { thread_id, unread_messages } of [...list.items, ...answers.items])
      session.told.set(thread_id, unread_messages);
    return {
      structured: {
        items: list.items.map((entry) => structuredItem(entry, trust, self)),
        next_cursor: list.next_cursor,
        unread_total: list.unread_total,
        answers: answers.items.map((entry) => structuredItem(entry, trust, self)),
        next_answers_cursor: answers.next,
      },
      text: sayInbox({ role, list, answers }, trust, self),
    };
  },
});

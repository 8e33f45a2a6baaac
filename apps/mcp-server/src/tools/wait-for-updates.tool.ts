import type { WireEvent } from '@agentrelay/protocol';
import type { RelayClient } from '@agentrelay/relay-client';
import { z } from 'zod';
import { ToolText } from '../provenance';
import { defineTool, READS } from './tool';

const MAX_WAIT_SECONDS = 45;
const SENT_WINDOW = 50;
/** What is left after the waiting for the looks around it. */
const RESERVE_MS = 4_000;

const update = z.object({
  type: z.string(),
  thread_id: z.string(),
  actor: z.string(),
  created_at: z.string(),
});

export const waitForUpdates = defineTool({
  name: 'wait_for_updates',
  title: 'Wait for news',
  description:
    `Waits until something happens on your user’s threads: at once when something is unread, else when something arrives, else after at most ${MAX_WAIT_SECONDS} seconds with nothing. ` +
    'Use it while you wait for a teammate’s answer and have nothing else to do; call it again to go on waiting. ' +
    'It says what happened, not what was written: read that with view_thread.',
  input: z.strictObject({
    cursor: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('cursor of the call before. Default: where this session last was.'),
    wait_seconds: z.number().int().min(0).max(MAX_WAIT_SECONDS).optional().describe(`Default ${MAX_WAIT_SECONDS}.`),
  }),
  output: z.object({ cursor: z.string(), unread_messages: z.number(), updates: z.array(update) }),
  annotations: READS,
  async run({ cursor, wait_seconds = MAX_WAIT_SECONDS }, { client, session, deadline }) {
    let next = cursor ?? session.updatesCursor ?? 'now';
    let events: WireEvent[] = [];
    const read = async (waitMs: number): Promise<void> => {
      ({ events, cursor: next } = await client.read('events/list', { cursor: next, wait_ms: waitMs }, waitMs));
    };
    // The place in the log comes first, so that nothing slips in between the two looks.
    await read(0);
    let unread = await unreadMessages(client);
    if (events.length === 0) {
      await read(unread > 0 ? 0 : Math.min(wait_seconds * 1_000, Math.max(deadline - Date.now() - RESERVE_MS, 0)));
      unread = await unreadMessages(client);
    }
    session.updatesCursor = next;
    return {
      structured: { cursor: next, unread_messages: unread, updates: events.map(shown) },
      text: told(events, unread),
    };
  },
});

/** Counts without marking anything as listed or read. */
async function unreadMessages(client: RelayClient): Promise<number> {
  const [received, sent] = await Promise.all([
    client.read('tasks/list', {
      filter: { role: 'recipient', status: ['pending', 'accepted'] },
      page: { limit: 1 },
      peek: true,
    }),
    client.read('tasks/list', { filter: { role: 'sender' }, page: { limit: SENT_WINDOW }, peek: true }),
  ]);
  return received.unread_total + sent.items.reduce((total, { unread_messages }) => total + unread_messages, 0);
}

function shown(event: WireEvent): z.output<typeof update> {
  return { type: event.type, thread_id: event.thread_id ?? '', actor: event.actor, created_at: event.created_at };
}

function told(events: readonly WireEvent[], unread: number): ToolText {
  const text = new ToolText();
  for (const { type, actor, thread_id, created_at } of events)
    text.say(`${created_at} ${actor}: ${type} on thread ${thread_id ?? ''}`);
  if (unread > 0)
    text.say(`${unread} unread message${unread === 1 ? '' : 's'} wait. Call check_inbox to see on which threads.`);
  else if (events.length === 0) text.say('Nothing new. Call wait_for_updates again to go on waiting.');
  else text.say('Read what was written with view_thread.');
  return text;
}

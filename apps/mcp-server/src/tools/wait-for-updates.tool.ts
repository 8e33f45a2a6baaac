import type { WireEvent } from '@agentrelay/protocol';
import { type RelayClient, RelayRefusal } from '@agentrelay/relay-client';
import { z } from 'zod';
import { unreadMessages } from '../inbox';
import { notice, ToolText } from '../provenance';
import { defineTool, READS } from './tool';

const MAX_WAIT_SECONDS = 45;
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
  output: z.object({ notice, cursor: z.string(), unread_messages: z.number(), updates: z.array(update) }),
  annotations: READS,
  async run({ cursor, wait_seconds = MAX_WAIT_SECONDS }, { client, self, session, deadline, trust: trustNow }) {
    const trust = trustNow();
    // The place in the log comes first, so that nothing slips in between the two looks.
    let news = await eventsSince(client, cursor ?? session.updatesCursor ?? 'now', 0);
    let unread = await unreadMessages(client, trust, self);
    if (news.events.length === 0 && !news.missed) {
      const left = Math.max(deadline - Date.now() - RESERVE_MS, 0);
      news = await eventsSince(client, news.cursor, unread > 0 ? 0 : Math.min(wait_seconds * 1_000, left));
      unread = await unreadMessages(client, trust, self);
    }
    session.updatesCursor = news.cursor;
    return {
      structured: { cursor: news.cursor, unread_messages: unread, updates: news.events.map(shown) },
      text: told(news.events, unread, news.missed),
    };
  },
});

/** What happened from a place in the log on; from now on, and what was before `missed`, when the log no longer has it. */
async function eventsSince(
  client: RelayClient,
  cursor: string,
  waitMs: number,
): Promise<{ events: WireEvent[]; cursor: string; missed: boolean }> {
  try {
    return { ...(await client.read('events/list', { cursor, wait_ms: waitMs }, waitMs)), missed: false };
  } catch (error) {
    if (!(error instanceof RelayRefusal) || error.symbol !== 'cursor_expired') throw error;
    return { ...(await client.read('events/list', { cursor: 'now' })), missed: true };
  }
}

function shown(event: WireEvent): z.output<typeof update> {
  return { type: event.type, thread_id: event.thread_id ?? '', actor: event.actor, created_at: event.created_at };
}

function told(events: readonly WireEvent[], unread: number, missed: boolean): ToolText {
  const text = new ToolText();
  if (missed)
    text.caution('The relay no longer has the news since the last call; some may have been missed. Call check_inbox.');
  for (const { type, actor, thread_id, created_at } of events)
    text.say(`${created_at} ${actor}: ${type} on thread ${thread_id ?? ''}`);
  if (unread > 0)
    text.say(`${unread} unread message${unread === 1 ? '' : 's'} wait. Call check_inbox to see on which threads.`);
  else if (events.length === 0) text.say('Nothing new. Call wait_for_updates again to go on waiting.');
  else text.say('Read what was written with view_thread.');
  return text;
}

import type { WireEvent, WireListItem } from '@agentrelay/protocol';
import { RelayRefusal } from '@agentrelay/relay-client';
import { z } from 'zod';
import { unreadThreads } from '../inbox';
import { ToolText } from '../provenance';
import type { CheckedRelay } from '../relay-answers';
import type { ProcessMemory } from '../relay-session';
import type { Budget } from '../result-budget';
import { resultText } from './schemas';
import { defineTool, READS } from './tool';

const MAX_WAIT_SECONDS = 45;
/** What is left after the waiting for the looks around it. */
const RESERVE_MS = 4_000;
/** Threads with something unread that are named; the others are counted. */
const MOST_NAMED = 10;
/** What an event takes at most, and what stands around the events. */
const CHARACTERS_OF_EVENT = 260;
const AROUND = 1_500;
const MOST_EVENTS = 100;

const update = z.object({
  type: z.string(),
  thread_id: z.string(),
  actor: z.string(),
  created_at: z.string(),
});

interface News {
  events: WireEvent[];
  cursor: string;
  missed: boolean;
}

export const waitForUpdates = defineTool({
  name: 'wait_for_updates',
  title: 'Wait for news',
  description:
    `Waits until something happens on your user’s threads: at once when something is unread that you were not told of yet, else when something arrives, else after at most ${MAX_WAIT_SECONDS} seconds with nothing. ` +
    'Use it while you wait for a teammate’s answer and have nothing else to do; call it again to go on waiting. ' +
    'It says what happened, not what was written: read that with view_thread.',
  input: z.object({
    cursor: z
      .string()
      .min(1)
      .max(300)
      .optional()
      .describe('cursor of the call before. Default: where this session last was.'),
    wait_seconds: z.number().int().min(0).max(MAX_WAIT_SECONDS).optional().describe(`Default ${MAX_WAIT_SECONDS}.`),
  }),
  output: z.object({ text: resultText, cursor: z.string(), unread_messages: z.number(), updates: z.array(update) }),
  annotations: READS,
  async run({ cursor, wait_seconds = MAX_WAIT_SECONDS }, { client, self, session, deadline, budget, trust: trustNow }) {
    const trust = trustNow();
    const limit = eventsIn(budget);
    // The place in the log comes first, so that nothing slips in between the two looks.
    let news = await eventsSince(client, cursor ?? session.updatesCursor ?? 'now', 0, limit);
    let unread = await unreadThreads(client, trust, self);
    if (news.events.length === 0 && !news.missed && !unread.some((entry) => isNew(entry, session))) {
      const left = Math.max(deadline - Date.now() - RESERVE_MS, 0);
      const waiting = eventsSince(client, news.cursor, Math.min(wait_seconds * 1_000, left), limit);
      // The client has closed: whoever asked gets an answer, and the process ends.
      news = (await Promise.race([waiting, session.closing])) ?? news;
      waiting.catch(() => undefined);
      if (news.events.length > 0) unread = await unreadThreads(client, trust, self);
    }
    session.updatesCursor = news.cursor;
    const fresh = unread.filter((entry) => isNew(entry, session));
    session.told.clear();
    for (const { thread_id, unread_messages } of unread) session.told.set(thread_id, unread_messages);
    const updates = news.events.map(shown);
    const unread_messages = unread.reduce((total, entry) => total + entry.unread_messages, 0);
    return {
      structured: { cursor: news.cursor, unread_messages, updates },
      text: told(updates, fresh, unread_messages, news.missed),
    };
  },
});

function isNew({ thread_id, unread_messages }: WireListItem, { told: known }: ProcessMemory): boolean {
  return unread_messages > (known.get(thread_id) ?? 0);
}

function eventsIn({ characters }: Budget): number {
  return Math.min(Math.max(Math.floor((characters - AROUND) / CHARACTERS_OF_EVENT), 1), MOST_EVENTS);
}

/** What happened from a place in the log on; from now on, and what was before `missed`, when the log no longer has it. */
async function eventsSince(client: CheckedRelay, cursor: string, waitMs: number, limit: number): Promise<News> {
  try {
    const { events, cursor: next } = await client.read('events/list', { cursor, wait_ms: waitMs, limit }, waitMs);
    return { events: events.slice(0, limit), cursor: events[limit - 1]?.cursor ?? next, missed: false };
  } catch (error) {
    if (!(error instanceof RelayRefusal) || error.symbol !== 'cursor_expired') throw error;
    return { ...(await client.read('events/list', { cursor: 'now' })), missed: true };
  }
}

function shown(event: WireEvent): z.output<typeof update> {
  const actor = /^[A-Za-z0-9._@-]{1,120}$/.test(event.actor) ? event.actor : 'somebody';
  return { type: event.type, thread_id: event.thread_id ?? '', actor, created_at: event.created_at };
}

function told(
  updates: readonly z.output<typeof update>[],
  fresh: readonly WireListItem[],
  unread: number,
  missed: boolean,
): ToolText {
  const text = new ToolText();
  if (missed)
    text.say('The relay no longer has the news since the last call; some may have been missed. Call check_inbox.');
  for (const { type, actor, thread_id, created_at } of updates)
    text.say(`${created_at} ${actor}: ${type} on thread ${thread_id}`);
  for (const { thread_id, unread_messages } of fresh.slice(0, MOST_NAMED))
    text.say(`${unread_messages} unread on thread ${thread_id}`);
  if (fresh.length > MOST_NAMED) text.say(`Unread on ${fresh.length - MOST_NAMED} more threads.`);
  if (unread > 0)
    text.say(`${unread} unread message${unread === 1 ? '' : 's'} in all. Call check_inbox to see on which threads.`);
  if (updates.length > 0 || fresh.length > 0) text.say('Read what was written with view_thread.');
  else text.say('Nothing new. Call wait_for_updates again to go on waiting.');
  return text;
}

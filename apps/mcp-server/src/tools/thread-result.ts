import { HANDOFF_STATES, INTENTS, OUTCOMES, type WireThread } from '@agentrelay/protocol';
import { z } from 'zod';
import { knownWord, sayThread, START, type Shown, type ThreadPlace, type ToolText } from '../provenance';
import { markShown, overlayOf, sayOverlay, trustOverlaySchema } from '../trust';
import { resultText } from './schemas';
import type { ToolCall } from './tool';

/** Characters kept for the sentences behind the messages. */
const RESERVED = 900;

/** A thread for programs: what it is and where reading goes on. What was written stands in `text` alone. */
export const threadSchema = z.object({
  text: resultText,
  thread_id: z.string(),
  status: z.string(),
  intent: z.string(),
  sender: z.string(),
  recipient: z.string(),
  version: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
  accepted_at: z.string().nullable(),
  completed_at: z.string().nullable(),
  cancelled_at: z.string().nullable(),
  outcome: z.string().optional(),
  inbox_url: z.string(),
  traceparent: z.string().optional(),
  next_from: z.string().optional().describe('Present when the thread goes on: from of the next view_thread.'),
  trust_overlay: trustOverlaySchema,
});

type ThreadFacts = Omit<z.output<typeof threadSchema>, 'text' | 'next_from' | 'trust_overlay'>;

export interface ThreadAnswer {
  thread: WireThread;
  shown: Shown;
  structured: Record<string, unknown>;
}

/** Says what the user's file says of the thread, and its messages from `place` on, as far as the budget goes. */
export function sayThreadPart(
  text: ToolText,
  thread: WireThread,
  call: ToolCall,
  place: ThreadPlace = START,
): ThreadAnswer {
  const overlay = overlayOf(call.trust(), thread, call.self);
  sayOverlay(text, overlay, thread);
  const shown = sayThread(text, thread, call.self, place, call.budget, RESERVED);
  return { thread, shown, structured: { ...factsOf(thread), trust_overlay: overlay } };
}

/**
 * Ends an answer that shows a thread: marks it as read when it is shown to its end, else says what is missing and how to read on.
 * @throws what the client throws
 */
export async function endThreadAnswer(
  text: ToolText,
  { thread, shown, structured }: ThreadAnswer,
  call: ToolCall,
  { place = START, isMarked = false } = {},
): Promise<Record<string, unknown>> {
  const { thread_id } = thread;
  let next = shown.next;
  if (next === undefined) {
    const newer = isMarked ? undefined : await markShown(call.client, thread, place.message);
    call.session.told.set(thread_id, 0);
    if (newer !== undefined) {
      next = `m${newer}.0.0`;
      text.say(`Messages from number ${newer} on have come meanwhile. To read them: view_thread with from "${next}".`);
    }
  } else {
    text.say(`${shown.missing ?? ''} The thread is marked as read once it has been shown to its end.`);
    text.say(
      `To read on: view_thread with thread_id "${thread_id}" and from "${next}". For your user: agentrelay show ${thread_id}`,
    );
  }
  return { ...structured, ...(next !== undefined && { next_from: next }) };
}

function factsOf(thread: WireThread): ThreadFacts {
  return {
    thread_id: thread.thread_id,
    status: knownWord(thread.status.state, HANDOFF_STATES),
    intent: knownWord(thread.intent, INTENTS),
    sender: thread.sender.handle,
    recipient: thread.recipient.handle,
    version: thread.version,
    created_at: thread.created_at,
    updated_at: thread.updated_at,
    accepted_at: thread.accepted_at,
    completed_at: thread.completed_at,
    cancelled_at: thread.cancelled_at,
    ...(thread.outcome === undefined ? {} : { outcome: knownWord(thread.outcome, OUTCOMES) }),
    inbox_url: thread.inbox_url,
    ...(thread.traceparent === undefined ? {} : { traceparent: thread.traceparent }),
  };
}

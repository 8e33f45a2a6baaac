import type { WireThread } from '@agentrelay/protocol';
import type { TrustFile } from '@agentrelay/workstation';
import { StrangeAnswer, type CheckedRelay } from '../relay-answers';
import { counterpartOf } from './trust-overlay';
import { reasonToWithhold, Withheld } from './withheld';

/**
 * A part of a thread from a message on, without a trace: nothing is marked as read.
 * @throws Withheld when the file keeps it back, StrangeAnswer, and what the client throws
 */
export async function readThread(
  client: CheckedRelay,
  trust: TrustFile,
  self: string,
  threadId: string,
  firstMessage = 1,
): Promise<WireThread> {
  const after = firstMessage - 1;
  const params = { task_id: threadId, mark_read: false, ...(after > 0 && { after_sequence_no: after }) };
  const thread = await client.read('tasks/get', params);
  refuseOutOfOrder(thread, after);
  const handle = counterpartOf(thread, self);
  const reason = reasonToWithhold(trust.trustOf(handle), thread.sender.handle === handle);
  if (reason !== undefined) throw new Withheld(handle, reason);
  return thread;
}

/**
 * Moves the reader's position over a thread that was shown to its end. Messages that came since would be passed over as well:
 * their first number is returned, so that they can be shown. @throws what the client throws
 */
export async function markShown(
  client: CheckedRelay,
  thread: WireThread,
  firstMessage: number,
): Promise<number | undefined> {
  if (thread.unread_messages === 0) return undefined;
  const shownTo = thread.messages.at(-1)?.sequence_no ?? firstMessage - 1;
  let marked = await client.read('tasks/get', { task_id: thread.thread_id, after_sequence_no: firstMessage - 1 });
  // The position moves without a gap only: parts before this one are passed over first.
  for (let after: number | undefined = 0; marked.unread_messages > 0 && after !== undefined;) {
    marked = await client.read('tasks/get', { task_id: thread.thread_id, after_sequence_no: after });
    const next: number | undefined = marked.next_after_sequence_no;
    after = next !== undefined && next > after ? next : undefined;
  }
  const newest = marked.messages.at(-1)?.sequence_no ?? shownTo;
  return newest > shownTo ? shownTo + 1 : undefined;
}

/** Messages follow one another, and the next part begins behind them: else reading would have no end. */
function refuseOutOfOrder({ messages, next_after_sequence_no: next }: WireThread, after: number): void {
  let last = after;
  for (const { sequence_no } of messages) {
    if (sequence_no !== last + 1) throw new StrangeAnswer('the thread', 'thread whose messages follow one another');
    last = sequence_no;
  }
  if (next !== undefined && (messages.length === 0 || next !== last))
    throw new StrangeAnswer('the thread', 'thread whose parts follow one another');
}

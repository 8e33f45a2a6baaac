import { messageSections, visible } from '@agentrelay/untrusted-text';
import { MESSAGE_KINDS, type WireMessage, type WireThread } from '@agentrelay/protocol';
import type { Budget } from '../result-budget';
import { NoSuchPlace, START, type ThreadPlace, writePlace } from './thread-place';
import type { Piece, ToolText } from './tool-text';
import { knownWord } from './words';

/** How much of a thread a text shows. */
export interface Shown {
  /** Where to read on; undefined when the thread is shown to its end. */
  next: string | undefined;
  /** What is missing, as a sentence. */
  missing: string | undefined;
}

/**
 * The messages of a part of a thread from `place` on, as far as the budget goes: each in a block of its own, the reader's own ones
 * told apart. @throws NoSuchPlace when the part does not begin there
 */
export function sayThread(
  text: ToolText,
  thread: WireThread,
  self: string,
  place: ThreadPlace,
  budget: Budget,
  reserved: number,
): Shown {
  const { messages, next_after_sequence_no } = thread;
  const isStart = place.message === START.message && place.section === START.section && place.offset === START.offset;
  if (!isStart && messages[0]?.sequence_no !== place.message) throw new NoSuchPlace();
  for (const [index, message] of messages.entries()) {
    const first = index === 0 ? place.section : 0;
    const pieces = piecesOf(message, thread, self).slice(first);
    if (pieces[0] === undefined) throw new NoSuchPlace();
    if (index === 0 && place.offset > visible(pieces[0].content).length) throw new NoSuchPlace();
    const stop = text.pieces(pieces, index === 0 ? place.offset : 0, budget, reserved);
    if (stop === undefined) continue;
    const { label = '' } = pieces[stop.piece] ?? {};
    const next = writePlace({ message: message.sequence_no, section: first + stop.piece, offset: stop.offset });
    const more = next_after_sequence_no === undefined ? '' : ' at least';
    const missing = `Not shown yet: ${stop.left} characters of "${label}", ${pieces.length - stop.piece - 1} more sections of that message, and${more} ${messages.length - index - 1} more messages.`;
    return { next, missing };
  }
  if (next_after_sequence_no === undefined) return { next: undefined, missing: undefined };
  const next = writePlace({ message: next_after_sequence_no + 1, section: 0, offset: 0 });
  return { next, missing: 'Not shown yet: the messages that follow.' };
}

function piecesOf(message: WireMessage, thread: WireThread, self: string): Piece[] {
  const by = message.from === self ? undefined : message.from;
  const kind = knownWord(message.kind, MESSAGE_KINDS) as WireMessage['kind'];
  const sections = messageSections({ ...message, kind }, thread);
  const withoutArtifacts = thread.omitted?.includes(`messages.${message.sequence_no}.artifacts`) ?? false;
  const note = 'too large for one answer of the relay; ask its sender for a smaller one';
  return [
    ...sections.map(({ label, content }) => ({ by, label, content })),
    ...(withoutArtifacts ? [{ by, label: `message ${message.sequence_no}, artifacts`, content: note }] : []),
  ];
}

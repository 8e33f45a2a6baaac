import { StrangeAnswer } from './answers';
import type { CheckedRelay } from './relay';

export type ThreadPart = Awaited<ReturnType<CheckedRelay['thread']>>;
export type ThreadMessage = ThreadPart['messages'][number];

/** Twice what a thread may hold at the relay, written as text: a longer one has no end. */
const MAX_CHARACTERS = 128 * 1024 * 1024;

/** Beyond every message: asks for a thread without its messages. */
const NO_MESSAGES = 1_000_000;

/**
 * A thread in parts, one after the other, none held after the next was asked for. The first says what the thread is; the
 * agent's read position stays. @throws StrangeAnswer when the parts do not go on, or do not end
 */
export async function* threadParts(relay: CheckedRelay, id: string): AsyncGenerator<ThreadPart> {
  let after = 0;
  let characters = 0;
  let isFirst = true;
  for (;;) {
    const part = await relay.thread({ task_id: id, mark_read: false, ...(after > 0 && { after_sequence_no: after }) });
    for (const { sequence_no, body, artifacts } of part.messages) {
      if (sequence_no <= after) throw new StrangeAnswer('the thread', 'thread whose messages follow one another');
      after = sequence_no;
      characters += body.length + artifacts.reduce((sum, artifact) => sum + textIn(artifact), 0);
    }
    if (characters > MAX_CHARACTERS) throw new StrangeAnswer('the thread', 'thread that ends');
    yield isFirst && isWithout(part, 'proposed_action') ? await withAction(relay, part) : part;
    isFirst = false;
    if (part.next_after_sequence_no === undefined) return;
    if (part.next_after_sequence_no !== after || part.messages.length === 0)
      throw new StrangeAnswer('the thread', 'thread whose parts follow one another');
  }
}

/** What a thread is, without its messages; nothing is marked as read. */
export function threadHead(relay: CheckedRelay, id: string): Promise<ThreadPart> {
  return relay.thread({ task_id: id, mark_read: false, after_sequence_no: NO_MESSAGES });
}

/** Whether the relay left a member of a part out because it had no room beside the messages. */
export function isWithout({ omitted = [] }: ThreadPart, member: string): boolean {
  return omitted.includes(member);
}

/** The part with what the handoff proposes, which has room where no message is. */
async function withAction(relay: CheckedRelay, part: ThreadPart): Promise<ThreadPart> {
  const { proposed_action } = await threadHead(relay, part.thread_id);
  return { ...part, proposed_action, omitted: part.omitted?.filter((member) => member !== 'proposed_action') };
}

function textIn(artifact: object): number {
  return Object.values(artifact).reduce<number>(
    (sum, member) => sum + (typeof member === 'string' ? member.length : 1),
    0,
  );
}

import { messageSections, type Section, visible, visibleJson, visibleLine } from '@agentrelay/presentation';
import type { WireMessage, WireThread } from '@agentrelay/protocol';
import type { Output } from '../output';
import { openRelay } from '../relay';
import { shortLine } from '../short-line';
import { type ThreadMessage, type ThreadPart, threadParts } from '../thread-parts';

/** A long thread is read in many parts. */
const DEADLINE_MS = 120_000;

/**
 * Shows a thread to a person, of any length. What participants wrote is marked line by line and cannot move the cursor or
 * change colours. The agent's read position stays: it has not seen this.
 */
export async function run(out: Output, id: string): Promise<void> {
  const parts = threadParts(openRelay(DEADLINE_MS), id);
  await (out.json ? writeJson(out, parts) : writeText(out, parts));
}

async function writeText(out: Output, parts: AsyncIterable<ThreadPart>): Promise<void> {
  let first: ThreadPart | undefined;
  let last: ThreadPart | undefined;
  for await (const part of parts) {
    first ??= await withHeading(out, part);
    for (const message of part.messages) for (const lines of messageLines(out, message, first)) await out.write(lines);
    last = part;
  }
  if (last !== undefined) await out.write(`${nextStep(last)}\n`);
}

async function withHeading(out: Output, part: ThreadPart): Promise<ThreadPart> {
  await out.write(`${heading(out, part).join('\n')}\n`);
  // Its messages need not be held.
  return { ...part, messages: [] };
}

/** One document, whose messages are written as they arrive. */
async function writeJson(out: Output, parts: AsyncIterable<ThreadPart>): Promise<void> {
  let isFirst = true;
  let written = 0;
  for await (const part of parts) {
    if (isFirst) await out.write(`${opened(part)}\n  "messages": [`);
    for (const message of part.messages) await out.write(`${written++ === 0 ? '' : ','}\n${visibleJson(message)}`);
    isFirst = false;
  }
  await out.write(`\n  ]\n}\n`);
}

/** The thread's other members as JSON, up to where its messages belong. */
function opened(part: ThreadPart): string {
  // Relays of earlier versions repeat the messages as `history`.
  const others: Record<string, unknown> = { ...part };
  for (const member of ['messages', 'history', 'next_after_sequence_no'] as const) delete others[member];
  return `${visibleJson(others).replace(/\n\}$/, '')},`;
}

function heading(out: Output, part: ThreadPart): string[] {
  const { thread_id, intent, status, sender, recipient, outcome, created_at } = part;
  const ended = outcome === undefined ? '' : ` (${outcome})`;
  return [
    `${out.paint('bold', thread_id)}  ${out.paint('yellow', status.state)}${ended}  ${intent}`,
    `from ${sender.handle} (${shortLine(sender.name)}) to ${recipient.handle} (${shortLine(recipient.name)}), ${created_at}`,
  ];
}

function* messageLines(out: Output, message: ThreadMessage, thread: ThreadPart): Generator<string> {
  yield `${out.paint('bold', `── ${shortLine(message.from)}`)}\n`;
  for (const section of messageSections(message as unknown as WireMessage, thread as unknown as WireThread))
    yield sectionLines(out, section);
}

function sectionLines(out: Output, { label, content }: Section): string {
  const marked = visible(content).replaceAll('\n', '\n│ ');
  return `${out.paint('dim', `${visibleLine(label)}:`)}\n│ ${marked}\n`;
}

function nextStep({ status: { state } }: ThreadPart): string {
  if (state === 'pending') return 'To take it on, ask your coding agent to check its inbox.';
  if (state === 'accepted') return 'To reply or complete it, ask your coding agent.';
  return 'This thread has ended; it can only be read.';
}

import { messageSections, type Section, visible, visibleJson, visibleLine } from '@agentrelay/untrusted-text';
import type { WireMessage, WireThread } from '@agentrelay/protocol';
import { TrustFile } from '@agentrelay/workstation';
import { CommandFailed } from '../command-failed';
import { type Check, Checker, checkLine } from '../git/check';
import type { Output } from '../output';
import { type CheckedRelay, home, openRelay } from '../relay';
import { shortLine } from '../short-line';
import { isWithout, type ThreadMessage, type ThreadPart, threadHead, threadParts } from '../thread-parts';
import { refuseWithheld } from '../trusting';

/** A long thread is read in many parts. */
const DEADLINE_MS = 120_000;

/**
 * Shows a thread to a person, of any length. What participants wrote is marked line by line and cannot move the cursor or
 * change colours. The agent's read position stays: it has not seen this.
 */
export async function run(out: Output, id: string, { check = false }: { check?: boolean }): Promise<void> {
  const relay = openRelay(DEADLINE_MS);
  const trust = TrustFile.load(home());
  if (trust.mayWithhold()) {
    const [{ handle }, head] = await Promise.all([relay.whoAmI(), threadHead(relay, id)]);
    refuseWithheld(trust, head, handle);
  }
  const checker = check ? await Checker.here() : undefined;
  if (check && checker === undefined)
    throw new CommandFailed('This folder is in no git repository.', 'Run it inside one, or without --check.');
  const checks: Check[] = [];
  const parts = checked(threadParts(relay, id), checker, checks);
  await (out.json ? writeJson(out, parts, check ? checks : undefined) : writeText(out, relay, parts, checks));
}

/** The same parts; what they carry is checked on the way. */
async function* checked(
  parts: AsyncIterable<ThreadPart>,
  checker: Checker | undefined,
  checks: Check[],
): AsyncGenerator<ThreadPart> {
  for await (const part of parts) {
    if (checker !== undefined) for (const message of part.messages) checks.push(...(await checker.of(message)));
    yield part;
  }
}

/** How the relay names a message's artifacts where it leaves them out: no answer of it has room for them. */
function artifactsOf({ sequence_no }: ThreadMessage): string {
  return `messages.${sequence_no}.artifacts`;
}

const MISSING_ARTIFACTS = 'Its artifacts are not shown: too large for one answer of the relay. Ask for smaller ones.\n';

async function writeText(
  out: Output,
  relay: CheckedRelay,
  parts: AsyncIterable<ThreadPart>,
  checks: readonly Check[],
): Promise<void> {
  let first: ThreadPart | undefined;
  let last: ThreadPart | undefined;
  for await (const part of parts) {
    first ??= await withHeading(out, part);
    for (const message of part.messages) {
      for (const lines of messageLines(out, message, first)) await out.write(lines);
      if (isWithout(part, artifactsOf(message))) await out.write(MISSING_ARTIFACTS);
    }
    last = part;
  }
  if (last === undefined) return;
  await out.write(`${[...checks.map(checkLine), nextStep(last, await isOwn(relay, last))].join('\n')}\n`);
}

async function withHeading(out: Output, part: ThreadPart): Promise<ThreadPart> {
  await out.write(`${heading(out, part).join('\n')}\n`);
  // Its messages need not be held.
  return { ...part, messages: [] };
}

/** One document, whose messages are written as they arrive. */
async function writeJson(out: Output, parts: AsyncIterable<ThreadPart>, checks: Check[] | undefined): Promise<void> {
  const omitted: string[] = [];
  let isFirst = true;
  let written = 0;
  for await (const part of parts) {
    if (isFirst) await out.write(`${opened(part)}\n  "messages": [`);
    for (const message of part.messages) await out.write(`${written++ === 0 ? '' : ','}\n${visibleJson(message)}`);
    // Members that hold what messages hold too are those of the first part.
    omitted.push(...(part.omitted ?? []).filter((member) => isFirst || member.startsWith('messages.')));
    isFirst = false;
  }
  const missing = omitted.length === 0 ? '' : `,\n  "omitted": ${visibleJson(omitted)}`;
  await out.write(`\n  ]${missing}${checks === undefined ? '' : `,\n  "checks": ${visibleJson(checks)}`}\n}\n`);
}

/** The thread's other members as JSON, up to where its messages belong. */
function opened(part: ThreadPart): string {
  // Relays of earlier versions repeat the messages as `history`.
  const others: Record<string, unknown> = { ...part };
  for (const member of ['messages', 'history', 'next_after_sequence_no', 'omitted'] as const) delete others[member];
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

/** Whether the caller sent a handoff that nobody took on: what to do with it then is another thing. */
async function isOwn(relay: CheckedRelay, { sender, status }: ThreadPart): Promise<boolean> {
  return status.state === 'pending' && (await relay.whoAmI()).handle === sender.handle;
}

function nextStep({ thread_id, status: { state } }: ThreadPart, isOurs: boolean): string {
  if (isOurs)
    return `Add to it: agentrelay reply ${thread_id} 'your words'. Withdraw it: agentrelay cancel ${thread_id}`;
  if (state === 'pending') return `Take it on: agentrelay accept ${thread_id}`;
  if (state === 'accepted') return `Reply: agentrelay reply ${thread_id} 'your words'`;
  return 'This thread has ended; it can only be read.';
}

import { visible } from '@agentrelay/untrusted-text';
import type { Artifact, WireRpcError } from '@agentrelay/protocol';
import { type TestAgent, text } from '@agentrelay/testing';

function numbers(count: number, separator: string): string {
  return Array.from({ length: count }, (_, n) => n % 100_000).join(separator);
}

const diff = (content: string): Artifact => ({ type: 'file_diff', path: 'a.ts', diff: content });

/** Artifacts that are long in one way each, most of them nearly as long as one may be. */
const ARTIFACTS: readonly Artifact[] = [
  diff(`start${'\u200b'.repeat(349_000)}end`),
  diff(numbers(125_000, '\n')),
  diff(numbers(200_000, ' ').slice(0, 1_040_000)),
  diff('語👩‍👩‍👧‍👦'.repeat(37_000)),
  diff('"\\'.repeat(260_000)),
  { type: 'link', url: 'https://example.com/', values: Array.from({ length: 99_000 }, () => ({})) },
  diff('a\u200b\u{e0041}'.repeat(12_000)),
  diff('\n'.repeat(60_000)),
];

/** Messages without artifacts that a thread begins with. */
const SHORT_MESSAGES = 30;
/** How many artifacts a message has: first as many as a request can hold, until the thread takes no more of them. */
const ARTIFACTS_OF_A_MESSAGE = [3, 1];

export interface SentMessage {
  number: number;
  from: string;
  body: string;
  artifacts: Artifact[];
}

/** What is to be shown of one section of a message: how its label begins, and all of its content. */
export interface ExpectedSection {
  message: number;
  label: string;
  content: string;
}

const shown = new Map<Artifact, [member: string, content: string][]>();

function membersOf(artifact: Artifact): [member: string, content: string][] {
  const { type, path, url, diff: content, ...rest } = artifact as { type: string } & Record<string, unknown>;
  const known = { path, diff: content, url };
  const told = Object.entries(known).filter((member): member is [string, string] => typeof member[1] === 'string');
  if (Object.keys(rest).length > 0) told.push(['other members', JSON.stringify(rest, null, 2)]);
  return told.map(([member, whole]) => [`(${type}), ${member}`, visible(whole)]);
}

/** The sections of a message in the order in which a reader must see them. */
export function sectionsOf({ number, body, artifacts }: SentMessage): ExpectedSection[] {
  const sections = [{ message: number, label: `message ${number} (`, content: body }];
  for (const [index, artifact] of artifacts.entries()) {
    const members = shown.get(artifact) ?? membersOf(artifact);
    shown.set(artifact, members);
    for (const [member, content] of members)
      sections.push({ message: number, label: `message ${number}, artifact ${index + 1} ${member}`, content });
  }
  return sections;
}

export interface Filled {
  id: string;
  sent: SentMessage[];
  /** How the relay refused the first message that was too much. */
  refusal: WireRpcError['error'];
}

/** A handoff whose thread takes no further long message. Every fifth message is the recipient's. */
export async function fillThread(sender: TestAgent, recipient: TestAgent): Promise<Filled> {
  const opening = { number: 1, from: sender.handle, body: 'message 1', artifacts: ARTIFACTS.slice(0, 1) };
  const { message, artifacts } = { message: text(opening.body), artifacts: opening.artifacts };
  const { task_id: id } = await sender.send(recipient.handle, { message, artifacts });
  const sent: SentMessage[] = [opening];
  let used = 1;
  let refusal: Filled['refusal'] | undefined;
  const append = async (count: number): Promise<boolean> => {
    const number = sent.length + 1;
    const author = number % 5 === 0 ? recipient : sender;
    const attached = Array.from({ length: count }, (_, n) => ARTIFACTS[(used + n) % ARTIFACTS.length]!);
    const next = { number, from: author.handle, body: `message ${number}`, artifacts: attached };
    const params = { task_id: id, message: text(next.body), artifacts: attached };
    const { status, body } = await author.rpc('message/send', params);
    if (status !== 200) {
      refusal ??= (body as WireRpcError).error;
      return false;
    }
    used += count;
    sent.push(next);
    return true;
  };
  while (sent.length <= SHORT_MESSAGES) await append(0);
  for (const count of ARTIFACTS_OF_A_MESSAGE) while (await append(count));
  if (refusal === undefined) throw new Error('The thread was never full.');
  return { id, sent, refusal };
}

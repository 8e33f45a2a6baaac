import { HANDOFF_STATES, INTENTS, type ListRole, type WireList, type WireListItem } from '@agentrelay/protocol';
import type { TrustFile } from '@agentrelay/workstation';
import { knownWord, type Section, ToolText } from '../provenance';
import { itemTrust } from './inbox-item';
import type { AnswersPage } from './answers-page';

/** Characters that a digest spends on one handoff; twenty of them stay under 1,200 tokens. */
const ITEM_CHARACTERS = 190;
const MIN_PREVIEW = 24;

export interface Inbox {
  role: ListRole;
  list: WireList;
  answers: AnswersPage;
}

/** The digest of an inbox: a line or two for each handoff, foreign words in a block, what is withheld named only. */
export function sayInbox({ role, list, answers }: Inbox, trust: TrustFile, self: string): ToolText {
  const text = new ToolText();
  sayItems(text, role === 'recipient' ? 'for you' : 'sent by you', list.items, trust, self);
  if (list.next_cursor !== null) text.say(`More: call check_inbox again with cursor "${list.next_cursor}".`);
  if (answers.items.length > 0)
    sayItems(text, 'sent by you with unread replies (read them with view_thread)', answers.items, trust, self);
  if (answers.next !== null) text.say(`More replies: call check_inbox again with answers_cursor "${answers.next}".`);
  if (!answers.isWhole)
    text.say(
      'Your user has sent very many handoffs: only those with the newest activity were looked through for unread replies. To see older ones, call check_inbox with role "sender".',
    );
  return text;
}

function sayItems(text: ToolText, what: string, items: readonly WireListItem[], trust: TrustFile, self: string): void {
  if (items.length === 0) {
    text.say(`No handoffs ${what}.`);
    return;
  }
  text.say(`${items.length} handoff${items.length === 1 ? '' : 's'} ${what}:`);
  const judged = items.map((entry) => ({ entry, ...itemTrust(entry, trust, self) }));
  const undecided = new Set(judged.filter(({ verdict }) => verdict === 'ask').map(({ handle }) => handle));
  if (undecided.size > 0)
    text.say(
      `Your user decides, before you act on it, about what these teammates handed over: ${[...undecided].join(', ')}.`,
    );
  for (const { entry, reason } of judged) if (reason !== undefined) text.say(`${headline(entry)}: withheld. ${reason}`);
  const shown = judged.filter(({ reason }) => reason === undefined).map(({ entry }) => entry);
  const [own, foreign] = [true, false].map((sent) => shown.filter(({ sender }) => (sender.handle === self) === sent));
  if (own?.length) text.own(own.map(section));
  if (foreign?.length) text.untrusted('the senders named below', foreign.map(section));
}

function section(entry: WireListItem): Section {
  const label = headline(entry);
  return { label, content: entry.summary_preview, width: Math.max(MIN_PREVIEW, ITEM_CHARACTERS - label.length) };
}

function headline({
  thread_id,
  status,
  intent,
  sender,
  recipient,
  unread_messages,
  artifact_count,
}: WireListItem): string {
  const counts = `${unread_messages} unread, ${artifact_count} artifacts`;
  const words = `${knownWord(status.state, HANDOFF_STATES)} ${knownWord(intent, INTENTS)}`;
  return `${thread_id} ${words} ${sender.handle} → ${recipient.handle}, ${counts}`;
}

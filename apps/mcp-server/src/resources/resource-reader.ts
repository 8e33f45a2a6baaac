import { INTENTS, type WireListItem } from '@agentrelay/protocol';
import type { Environment } from '@agentrelay/workstation';
import { Inject, Injectable } from '@nestjs/common';
import { CallLedger } from '../call-ledger';
import { ENVIRONMENT } from '../environment';
import { answersAfter, INBOX_PAGE, inboxRoom, sayInbox, unreadAnswers, WAITING } from '../inbox';
import { knownWord, readPlace, sayThread, ToolText } from '../provenance';
import { RelaySession } from '../relay-session';
import { resultBudget } from '../result-budget';
import { sayError, symbolOf } from '../tool-errors';
import { overlayOf, readThread, sayOverlay, TrustSource } from '../trust';

/** Characters kept for the sentences behind the messages. */
const RESERVED = 900;

/** A thread among the resources: named by what the relay vouches for, never by what a teammate wrote. */
export interface ListedThread {
  uri: string;
  name: string;
  title: string;
}

export const INBOX_URI = 'agentrelay://inbox';

export function threadUri(threadId: string): string {
  return `agentrelay://threads/${threadId}`;
}

/** Reads what the resources show. Nothing is marked as listed or read: a client may read them for itself. */
@Injectable()
export class ResourceReader {
  constructor(
    private readonly session: RelaySession,
    private readonly trust: TrustSource,
    private readonly ledger: CallLedger,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** What waits, from a page of the relay's list on. */
  inbox(cursor?: string): Promise<string> {
    return this.recorded({}, async () => {
      const { client, self } = await this.session.open();
      const role = 'recipient';
      const room = inboxRoom(resultBudget(this.environment));
      const page = { limit: Math.min(INBOX_PAGE, room.items), ...(cursor !== undefined && { cursor }) };
      const [list, unread] = await Promise.all([
        client.read('tasks/list', { filter: { role, status: [...WAITING] }, page, peek: true }),
        unreadAnswers(client),
      ]);
      const text = sayInbox(
        { role, list, answers: answersAfter(unread, undefined, room.answers) },
        this.trust.now(),
        self,
      );
      return list.next_cursor === null ? text : text.say(`As a resource: ${INBOX_URI}/from/${list.next_cursor}`);
    });
  }

  /** A thread, from a place in it on. */
  thread(threadId: string, from?: string): Promise<string> {
    return this.recorded({ thread_id: threadId }, async () => {
      const place = readPlace(from);
      const { client, self } = await this.session.open();
      const trust = this.trust.now();
      const thread = await readThread(client, trust, self, threadId, place.message);
      const text = new ToolText();
      sayOverlay(text, overlayOf(trust, thread, self), thread);
      const { next, missing = '' } = sayThread(text, thread, self, place, resultBudget(this.environment), RESERVED);
      if (next === undefined) return text;
      return text.say(missing).say(`To read on: ${threadUri(thread.thread_id)}/from/${next}`);
    });
  }

  /** The threads that wait for either side; none while the relay cannot be asked. */
  async threads(): Promise<ListedThread[]> {
    try {
      const { client, self } = await this.session.open();
      const { items } = await client.read('tasks/list', { filter: { role: 'any', status: [...WAITING] }, peek: true });
      return items.map((item) => listed(item, self));
    } catch {
      return [];
    }
  }

  /** @throws Error that reads as a tool's error does */
  private async recorded(args: Record<string, unknown>, read: () => Promise<ToolText>): Promise<string> {
    try {
      const text = await read();
      this.ledger.record('resources/read', args, 'ok');
      return text.toString();
    } catch (error) {
      this.ledger.record('resources/read', args, symbolOf(error));
      throw new Error(sayError(error).toString(), { cause: error });
    }
  }
}

function listed({ thread_id, intent, sender, recipient }: WireListItem, self: string): ListedThread {
  const direction = sender.handle === self ? `to ${recipient.handle}` : `from ${sender.handle}`;
  return { uri: threadUri(thread_id), name: thread_id, title: `${knownWord(intent, INTENTS)} ${direction}` };
}

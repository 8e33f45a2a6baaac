import type { WireListItem } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import { CallLedger } from '../call-ledger';
import { INBOX_PAGE, sayInbox, unreadAnswers, WAITING } from '../inbox';
import { sayThread, ToolText } from '../provenance';
import { RelaySession } from '../relay-session';
import { sayError, symbolOf } from '../tool-errors';
import { overlayOf, readThread, sayOverlay, TrustSource } from '../trust';

/** A thread among the resources: named by what the relay vouches for, never by what a teammate wrote. */
export interface ListedThread {
  uri: string;
  name: string;
  title: string;
}

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
  ) {}

  inbox(): Promise<string> {
    return this.recorded({}, async () => {
      const { client, self } = await this.session.open();
      const role = 'recipient';
      const [list, answers] = await Promise.all([
        client.read('tasks/list', { filter: { role, status: [...WAITING] }, page: { limit: INBOX_PAGE }, peek: true }),
        unreadAnswers(client),
      ]);
      return sayInbox({ role, list, answers }, this.trust.now(), self);
    });
  }

  thread(threadId: string): Promise<string> {
    return this.recorded({ thread_id: threadId }, async () => {
      const { client, self } = await this.session.open();
      const trust = this.trust.now();
      const thread = await readThread(client, trust, self, threadId, false);
      const text = new ToolText();
      sayOverlay(text, overlayOf(trust, thread, self), thread);
      return sayThread(text, thread, self);
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
  return { uri: threadUri(thread_id), name: thread_id, title: `${intent} ${direction}` };
}

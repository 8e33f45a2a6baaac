import { setTimeout as pause } from 'node:timers/promises';
import type { WireList } from '@agentrelay/protocol';
import type { StoredHandoff, Violation } from './checker';
import type { Client } from './client';

const PAUSE_MS = 20;

/** What a client that follows by `as_of` knows of its threads: when each moved last. */
export interface DeltaLog {
  agent: string;
  /** By thread; milliseconds. */
  moved: Map<string, number>;
}

/** Follows one agent's threads by `as_of`: all pages of what moved since, each time from the first page of the time before. */
export class DeltaReader {
  readonly log: DeltaLog;
  private since: string | undefined;
  private stopping = false;
  private following: Promise<void> | undefined;

  constructor(private readonly client: Client) {
    this.log = { agent: client.handle, moved: new Map() };
  }

  follow(): void {
    this.following = this.followOn();
  }

  /** Looks once more from beginning to end, when nothing moves any more. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.following;
    await this.look();
  }

  private async followOn(): Promise<void> {
    for (let failures = 0; !this.stopping;) {
      try {
        await this.look();
        failures = 0;
        await pause(PAUSE_MS);
      } catch {
        await this.client.backOff(failures++);
      }
    }
  }

  private async look(): Promise<void> {
    const filter = { role: 'any', ...(this.since === undefined ? {} : { updated_since: this.since }) };
    let asOf: string | undefined;
    let cursor: string | null | undefined;
    do {
      const page = { limit: 200, ...(cursor ? { cursor } : {}) };
      const answer = await this.client.call(this.client.anyUrl(), 'tasks/list', { filter, page, peek: true });
      if ('error' in answer) throw new Error(answer.error.message);
      const list = answer.result as WireList;
      for (const { task_id, updated_at } of list.items) this.log.moved.set(task_id, Date.parse(updated_at));
      asOf ??= list.as_of;
      cursor = list.next_cursor;
    } while (cursor !== null);
    this.since = asOf;
  }
}

/** A reader that follows by `as_of` knows every thread of its agent as it stands in the table. */
export function unseen({ agent, moved }: DeltaLog, handoffs: readonly StoredHandoff[]): Violation[] {
  return handoffs
    .filter(({ sender, recipient }) => sender === agent || recipient === agent)
    .filter(({ id, movedAt }) => moved.get(id) !== movedAt)
    .map(({ id, movedAt }) => {
      const known = moved.get(id);
      const seen = known === undefined ? 'never saw it' : `saw it last as it was ${movedAt - known} ms before`;
      return {
        fault: 'unseen',
        what: `${agent} by as_of: thread ${id} moved at ${movedAt}, the reader ${seen}.`,
        operations: [],
      };
    });
}

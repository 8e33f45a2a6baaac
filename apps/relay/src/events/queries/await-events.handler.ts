import type { WireEvent } from '@agentrelay/protocol';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { Authenticator } from '../../identity';
import { decodeEventCursor, encodeEventCursor, type EventPosition } from '../event-cursor';
import { EventFeed } from '../event-feed';
import { type EventPage, EventReaderRepository } from '../event-reader.repository';
import { wireEvent } from '../wire-event';
import { AwaitEvents } from './await-events.query';

/** Stands for the end of the log as it is, where a cursor is asked for. */
const NOW = 'now';

@QueryHandler(AwaitEvents)
export class AwaitEventsHandler implements IQueryHandler<AwaitEvents> {
  constructor(
    private readonly feed: EventFeed,
    private readonly reader: EventReaderRepository,
    private readonly authenticator: Authenticator,
  ) {}

  /** @throws RelayError cursor_expired, rate_limited, unauthenticated when the key dies while it waits */
  async execute({ args, caller }: AwaitEvents): Promise<{ events: WireEvent[]; cursor: string }> {
    const { types, includeOwn, limit } = args;
    const from = await this.positionOf(args.cursor);
    const read = (): Promise<EventPage> =>
      this.reader.read({ agentId: caller.agentId, types, includeOwn }, from, limit);
    const page = args.waitMs === 0 ? await read() : await this.waitFor(read, args.waitMs, caller);
    const cursor = encodeEventCursor(page.events.length === 0 && !page.more && from !== undefined ? from : page.next);
    return { events: page.events.map((event) => wireEvent(event, page.next.epoch)), cursor };
  }

  private async positionOf(cursor: string | undefined): Promise<EventPosition | undefined> {
    if (cursor === NOW) return this.reader.now();
    return cursor === undefined ? undefined : decodeEventCursor(cursor);
  }

  private async waitFor(
    read: () => Promise<EventPage>,
    waitMs: number,
    caller: AwaitEvents['caller'],
  ): Promise<EventPage> {
    const end = Date.now() + waitMs;
    const waiter = await this.feed.join(caller);
    try {
      let keyLife = await this.authenticator.ensureLive(caller);
      for (let page = await read(); ; page = await read()) {
        const left = end - Date.now();
        if (page.events.length > 0 || page.more || left <= 0 || this.feed.closing) return page;
        await waiter.next(Math.min(left, keyLife));
        keyLife = await this.authenticator.ensureLive(caller);
      }
    } finally {
      waiter.release();
    }
  }
}

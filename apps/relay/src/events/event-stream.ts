import { RelayError } from '@agentrelay/protocol';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { isDatabaseAway } from '../database';
import { ReplyStream } from '../http';
import { Authenticator, type Caller } from '../identity';
import type { EventPosition } from './event-cursor';
import { EventFeed, type Waiter } from './event-feed';
import { type EventPage, EventReaderRepository } from './event-reader.repository';
import { wireEvent } from './wire-event';

const HEARTBEAT_MS = 15_000;
const RETRY_HINT = 'retry: 1000\n\n';
const BATCH = 100;
/** How soon to ask a database again that was away. */
const AWAY_RETRY_MS = 1_000;
const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** Sends one reader's events as they come, until it hangs up, its key dies, or the relay shuts down; it outlives a database that is away for a while. */
@Injectable()
export class EventStream {
  private readonly logger = new Logger(EventStream.name);

  constructor(
    private readonly feed: EventFeed,
    private readonly reader: EventReaderRepository,
    private readonly authenticator: Authenticator,
  ) {}

  /** @throws RelayError before anything was sent: cursor_expired, rate_limited */
  async run(caller: Caller, from: EventPosition, reply: FastifyReply): Promise<void> {
    const waiter = await this.feed.join(caller);
    try {
      const first = await this.read(caller, from);
      await ReplyStream.send(
        reply,
        HEADERS,
        async (stream) => {
          await stream.write(`${RETRY_HINT}: connected\n\n`);
          await this.pump(caller, first, waiter, stream);
          await stream.write(RETRY_HINT);
        },
        // The reader comes back with its last event id and misses nothing.
        (error) => this.logger.error({ err: error }, 'An event stream failed.'),
      );
    } finally {
      waiter.release();
    }
  }

  private read(caller: Caller, from: EventPosition): Promise<EventPage> {
    return this.reader.read({ agentId: caller.agentId, types: [], includeOwn: true }, from, BATCH);
  }

  private async pump(caller: Caller, first: EventPage, waiter: Waiter, stream: ReplyStream): Promise<void> {
    void stream.gone.then(() => waiter.wake());
    let lastSent = Date.now();
    let page = first;
    let askAgainAt = 0;
    for (;;) {
      for (const event of page.events) {
        const shown = wireEvent(event, page.next.epoch);
        await stream.write(`id: ${shown.cursor}\nevent: ${shown.type}\ndata: ${JSON.stringify(shown)}\n\n`);
        lastSent = Date.now();
      }
      if (stream.ended || this.feed.closing) return;
      // While nothing happens the line is kept open without asking the database: whatever ends a key is an event too.
      const nextWait = (): number => Math.min(lastSent + HEARTBEAT_MS, askAgainAt) - Date.now();
      while (!page.more && !(await waiter.next(nextWait())) && Date.now() < askAgainAt) {
        await stream.write(': still here\n\n');
        lastSent = Date.now();
      }
      try {
        const keyLife = await this.keyLife(caller);
        if (keyLife === 0) return;
        askAgainAt = Date.now() + keyLife;
        page = await this.read(caller, page.next);
      } catch (error) {
        // The reader comes back, and is told so.
        if (error instanceof RelayError && error.symbol === 'cursor_expired') return;
        if (!isDatabaseAway(error)) throw error;
        page = { events: [], next: page.next, more: false };
        askAgainAt = Date.now() + AWAY_RETRY_MS;
      }
    }
  }

  /** Milliseconds that the key still works; 0 when the stream has to end. */
  private async keyLife(caller: Caller): Promise<number> {
    try {
      return await this.authenticator.ensureLive(caller);
    } catch (error) {
      if (error instanceof RelayError && error.symbol === 'unauthenticated') return 0;
      throw error;
    }
  }
}

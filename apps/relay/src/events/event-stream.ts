import type { ServerResponse } from 'node:http';
import { RelayError } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Authenticator, type Caller } from '../identity';
import type { EventPosition } from './event-cursor';
import { EventFeed, type Waiter } from './event-feed';
import { EventReaderRepository } from './event-reader.repository';
import { wireEvent } from './wire-event';

const HEARTBEAT_MS = 15_000;
const RETRY_MS = 1_000;
const BATCH = 100;

/** Sends one reader's events as they come, until it hangs up, its key dies, or the relay shuts down. */
@Injectable()
export class EventStream {
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
      reply.hijack();
      const headers = {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
        // A stream that ends at shutdown must not leave a connection behind that keeps the listener open.
        connection: 'close',
      };
      reply.raw.writeHead(200, { ...headers, 'x-request-id': reply.request.id });
      await this.pump(caller, first, waiter, reply.raw);
      reply.raw.end(`retry: ${RETRY_MS}\n\n`);
    } finally {
      waiter.release();
    }
  }

  private read(caller: Caller, from: EventPosition): ReturnType<EventReaderRepository['read']> {
    const selection = { agentId: caller.agentId, threadsOnly: true, types: [], includeOwn: true, hideBlocked: true };
    return this.reader.read(selection, from, BATCH);
  }

  private async pump(
    caller: Caller,
    first: Awaited<ReturnType<EventReaderRepository['read']>>,
    waiter: Waiter,
    socket: ServerResponse,
  ): Promise<void> {
    const gone = new Promise<void>((resolve) => {
      socket.once('close', resolve).once('error', resolve);
    });
    await send(socket, `retry: ${RETRY_MS}\n: connected\n\n`, gone);
    let lastSent = Date.now();
    for (let page = first; ; page = await this.read(caller, page.next)) {
      for (const event of page.events) {
        const shown = wireEvent(event, page.next.epoch);
        await send(socket, `id: ${shown.cursor}\nevent: ${shown.type}\ndata: ${JSON.stringify(shown)}\n\n`, gone);
        lastSent = Date.now();
      }
      if (socket.destroyed || this.feed.closing) return;
      if (page.events.length === BATCH) continue;
      await Promise.race([waiter.next(lastSent + HEARTBEAT_MS - Date.now()), gone]);
      if (!(await this.mayGoOn(caller))) return;
      if (Date.now() - lastSent >= HEARTBEAT_MS) {
        await send(socket, ': still here\n\n', gone);
        lastSent = Date.now();
      }
    }
  }

  private async mayGoOn(caller: Caller): Promise<boolean> {
    try {
      await this.authenticator.ensureLive(caller);
      return true;
    } catch (error) {
      if (error instanceof RelayError && error.symbol === 'unauthenticated') return false;
      throw error;
    }
  }
}

/** Writes as fast as the reader takes it, so that a slow one costs no memory. */
async function send(socket: ServerResponse, text: string, gone: Promise<unknown>): Promise<void> {
  if (socket.write(text)) return;
  await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), gone]);
}

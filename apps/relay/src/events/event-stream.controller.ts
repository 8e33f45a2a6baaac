import { LIMITS } from '@agentrelay/protocol';
import { Controller, Get, Headers, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller } from '../identity';
import { decodeEventCursor } from './event-cursor';
import { EventReaderRepository } from './event-reader.repository';
import { EventStream } from './event-stream';

/** Live events over server-sent events (delivery.md, "Waking an agent"). */
@Controller('agents/me/events')
export class EventStreamController {
  constructor(
    private readonly reader: EventReaderRepository,
    private readonly stream: EventStream,
  ) {}

  /** From now on, or from `Last-Event-ID`. */
  @Get('stream')
  async open(
    @CurrentCaller() caller: Caller,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const given =
      lastEventId === undefined || lastEventId === '' ? undefined : lastEventId.slice(0, LIMITS.pathParameterLength);
    const from = given === undefined ? await this.reader.now() : decodeEventCursor(given);
    await this.stream.run(caller, from, reply);
  }
}

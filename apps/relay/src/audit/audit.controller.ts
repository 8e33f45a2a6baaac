import { canonicalHandle, LIMITS, type WireEvent } from '@agentrelay/protocol';
import { Controller, Get, Headers, Logger, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DtoPipe, ReplyStream } from '../http';
import { decodeEventCursor, encodeEventCursor, type EventPosition, type EventView, wireEvent } from '../events';
import { AdministratorOnly, type Caller, CurrentCaller } from '../identity';
import { AuditPageDto, PublishedAuditDto } from './audit.dtos';
import { type AuditFilter, AuditRepository } from './audit.repository';
import { eventTypeOf, publishedActionOf } from './published-actions';

/** Most events that a published client gets at once. */
const PUBLISHED_MAX = 1_000;
const PUBLISHED_DEFAULT = 100;
const EXPORT_BATCH = 500;

interface AuditPage {
  events: WireEvent[];
  next_cursor: string | null;
}

interface PublishedEvent {
  timestamp: string;
  actor_handle: string;
  action: string;
  resource_type: string;
  resource_id?: string;
  request_id?: string;
  metadata?: Record<string, unknown>;
}

/** The log as an audit trail: an agent's own, and the team's for administrators. */
@Controller()
export class AuditController {
  private readonly logger = new Logger(AuditController.name);

  constructor(private readonly audit: AuditRepository) {}

  /** The caller's events, newest first. */
  @Get('agents/me/events')
  async own(
    @Query(new DtoPipe(AuditPageDto)) query: AuditPageDto,
    @CurrentCaller() caller: Caller,
  ): Promise<AuditPage> {
    return this.page(query, filterOf(query, caller.agentId));
  }

  /** The caller's events in the shape that published clients read. */
  @Get('agents/me/audit')
  async published(
    @Query(new DtoPipe(PublishedAuditDto)) query: PublishedAuditDto,
    @CurrentCaller() caller: Caller,
  ): Promise<{ events: PublishedEvent[] }> {
    const limit = Math.min(query.limit ?? PUBLISHED_DEFAULT, PUBLISHED_MAX);
    const { events } = await this.audit.newest(filterOf(query, caller.agentId), undefined, limit);
    return { events: events.map(publishedEvent) };
  }

  /** The team's events, newest first; with `Accept: application/x-ndjson` all of them, a line each. */
  @AdministratorOnly()
  @Get('admin/events')
  async team(
    @Query(new DtoPipe(AuditPageDto)) query: AuditPageDto,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AuditPage | undefined> {
    const filter = filterOf(query, undefined);
    if (accept?.includes('application/x-ndjson') !== true) return this.page(query, filter);
    await ReplyStream.send(
      reply,
      { 'content-type': 'application/x-ndjson' },
      (stream) => this.exportTo(stream, filter),
      (error) => this.logger.error({ err: error }, 'An export of events failed.'),
    );
    return undefined;
  }

  private async page(query: AuditPageDto, filter: AuditFilter): Promise<AuditPage> {
    const limit = query.limit ?? LIMITS.eventPageDefault;
    const before = query.cursor === undefined ? undefined : decodeEventCursor(query.cursor);
    const { events: found, epoch } = await this.audit.newest(filter, before, limit + 1);
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    const more = found.length > limit && last !== undefined;
    return {
      events: shown.map((event) => wireEvent(event, epoch)),
      next_cursor: more ? encodeEventCursor({ ...last, epoch }) : null,
    };
  }

  private async exportTo(stream: ReplyStream, filter: AuditFilter): Promise<void> {
    let before: EventPosition | undefined;
    do {
      const { events, epoch } = await this.audit.newest(filter, before, EXPORT_BATCH);
      for (const event of events) await stream.writeLine(wireEvent(event, epoch));
      const last = events.length === EXPORT_BATCH ? events.at(-1) : undefined;
      before = last && { ...last, epoch };
    } while (before !== undefined && !stream.ended);
  }
}

function filterOf(query: PublishedAuditDto, agentId: string | undefined): AuditFilter {
  return {
    agentId,
    since: query.since,
    type: query.action === undefined ? undefined : eventTypeOf(query.action),
    actor: query.from === undefined ? undefined : canonicalHandle(query.from),
  };
}

function publishedEvent(event: EventView): PublishedEvent {
  return {
    timestamp: event.createdAt.toISOString(),
    actor_handle: event.actor,
    action: publishedActionOf(event.type),
    resource_type: event.handoffId === null ? 'agent' : 'handoff',
    ...(event.handoffId === null ? {} : { resource_id: event.handoffId }),
    request_id: event.requestId,
    metadata: event.payload,
  };
}

import { LIMITS, type WireEvents } from '@agentrelay/protocol';
import { QueryBus } from '@nestjs/cqrs';
import { Optional, SomeOf, IsText, IsBoolean, IsInt } from '../../http';
import { AwaitEvents, THREAD_EVENT_TYPES, type ThreadEventType } from '../../events';
import type { CommandContext } from '../../identity';
import { MethodParams } from '../method.params';
import { type RpcHandler, RpcMethod } from '../rpc-method.decorator';

export class EventsListParams extends MethodParams {
  @Optional()
  @IsText({ min: 1, max: 200 })
  cursor?: string;

  @Optional()
  @SomeOf(THREAD_EVENT_TYPES)
  types?: ThreadEventType[];

  @Optional()
  @IsInt(1, LIMITS.eventPage)
  limit?: number;

  @Optional()
  @IsInt(0, LIMITS.eventWaitMs)
  wait_ms?: number;

  @Optional()
  @IsBoolean()
  include_own?: boolean;
}

/** The events of the caller's threads after a cursor; with `wait_ms` a long poll. */
@RpcMethod({
  name: 'events/list',
  summary:
    'Reads the events of the caller’s threads after a cursor; with `wait_ms` it waits for a first one. One call looks through at most 2,000 events of each side; where none of these is wanted it answers empty, with a cursor further on.',
  params: EventsListParams,
  writes: false,
})
export class EventsListMethod implements RpcHandler<EventsListParams> {
  constructor(private readonly queries: QueryBus) {}

  handle(params: EventsListParams, { by }: CommandContext): Promise<WireEvents> {
    const args = {
      cursor: params.cursor,
      types: params.types ?? [],
      includeOwn: params.include_own ?? false,
      limit: params.limit ?? LIMITS.eventPageDefault,
      waitMs: params.wait_ms ?? 0,
    };
    return this.queries.execute(new AwaitEvents(args, by));
  }
}

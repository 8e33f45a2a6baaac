import type { WireEvent } from '@agentrelay/protocol';
import { Query } from '@nestjs/cqrs';
import type { Caller } from '../../identity';
import type { EventType } from '../event-types';

export interface AwaitEventsArguments {
  /** Where to read on from; `now`: only what is still to come; absent: from the oldest retained. */
  cursor: string | undefined;
  types: readonly EventType[];
  includeOwn: boolean;
  limit: number;
  /** How long to wait for a first event, in milliseconds. */
  waitMs: number;
}

/** The next events of the caller's threads, at once or as soon as there is one. */
export class AwaitEvents extends Query<{ events: WireEvent[]; cursor: string }> {
  constructor(
    readonly args: AwaitEventsArguments,
    readonly caller: Caller,
  ) {
    super();
  }
}

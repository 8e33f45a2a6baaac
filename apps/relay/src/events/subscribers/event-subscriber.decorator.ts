import { register } from '../../extensions';
import type { Transaction } from '../../database';
import type { EventView } from '../event-reader.repository';

/** Reads the whole log, in order, from where it left off. */
export interface EventSubscription {
  /**
   * Takes the next events. What it writes through `transaction` is committed together with its place in the log, so that
   * happens exactly once; anything else it does may happen again after a crash. An error leaves the events to be taken again, and
   * so does taking longer than a statement may (`RELAY_STATEMENT_TIMEOUT_MS`): hand on to a queue of your own what takes long.
   */
  handle(events: readonly EventView[], transaction: Transaction): Promise<void>;
}

export const EVENT_SUBSCRIBER = Symbol('event subscriber');

/** Registers a class as a subscriber. `name` identifies its place in the log, across restarts and replicas. */
export function EventSubscriber(name: string) {
  return register<EventSubscription>(EVENT_SUBSCRIBER, { name });
}

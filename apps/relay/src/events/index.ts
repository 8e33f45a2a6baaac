export { EventLogRepository } from './event-log.repository';
export { decodeEventCursor, encodeEventCursor } from './event-cursor';
export { EVENT_VIEW, type EventView, WITH_NAMES } from './event-reader.repository';
export { EVENT_TYPES, type EventType, THREAD_EVENT_TYPES, type ThreadEventType } from './event-types';
export { EventsModule } from './events.module';
export { AwaitEvents } from './queries/await-events.query';
export { wireEvent } from './wire-event';
export { EventSubscriber, type EventSubscription } from './subscribers/event-subscriber.decorator';
export { LogEpochRepository } from './log-epoch.repository';

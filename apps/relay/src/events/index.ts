export { decodeEventCursor, encodeEventCursor } from './event-cursor';
export { EventLogRepository } from './event-log.repository';
export { EVENT_VIEW, type EventView, WITH_NAMES } from './event-reader.repository';
export { EVENT_TYPES, type EventType, THREAD_EVENT_TYPES, type ThreadEventType } from './event-types';
export { EventsModule } from './events.module';
export { LogEpochRepository } from './log-epoch.repository';
export { AwaitEvents } from './queries/await-events.query';
export { EventSubscriber, type EventSubscription } from './subscribers/event-subscriber.decorator';
export { wireEvent } from './wire-event';

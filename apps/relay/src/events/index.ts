export { EventLogRepository } from './event-log.repository';
export { decodeEventCursor, encodeEventCursor } from './event-cursor';
export type { EventView } from './event-reader.repository';
export { EVENT_TYPES, type EventType, THREAD_EVENT_TYPES, type ThreadEventType } from './event-types';
export { EventsModule } from './events.module';
export { AwaitEvents } from './queries/await-events.query';
export { wireEvent } from './wire-event';

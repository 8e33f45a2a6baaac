export { EventLogRepository } from './event-log.repository';
export type { ThreadEventType } from './event-types';
export { EventsModule } from './events.module';

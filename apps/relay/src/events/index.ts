export { EventLogRepository } from './event-log.repository';
export type { AgentEventType, EventType, ThreadEventType } from './event-types';
export { EventsModule } from './events.module';

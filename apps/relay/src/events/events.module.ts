import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdentityModule } from '../identity';
import { EventEntity } from './event.entity';
import { EventFeed } from './event-feed';
import { EventLogRepository } from './event-log.repository';
import { EventReaderRepository } from './event-reader.repository';
import { EventStream } from './event-stream';
import { EventStreamController } from './event-stream.controller';
import { LogEpochRepository } from './log-epoch.repository';
import { AwaitEventsHandler } from './queries/await-events.handler';
import { RelayStateEntity } from './relay-state.entity';

/** The append-only log of everything that happened: written with every change, read forward, waited for. */
@Module({
  imports: [CqrsModule, IdentityModule, TypeOrmModule.forFeature([EventEntity, RelayStateEntity])],
  controllers: [EventStreamController],
  providers: [
    AwaitEventsHandler,
    EventFeed,
    EventLogRepository,
    EventReaderRepository,
    EventStream,
    LogEpochRepository,
  ],
  exports: [EventLogRepository, EventReaderRepository],
})
export class EventsModule {}

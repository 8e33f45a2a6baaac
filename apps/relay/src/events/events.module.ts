import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdentityModule } from '../identity';
import { EventFeed } from './event-feed';
import { EventLogRepository } from './event-log.repository';
import { EventReaderRepository } from './event-reader.repository';
import { EventStream } from './event-stream';
import { EventStreamController } from './event-stream.controller';
import { EventEntity } from './event.entity';
import { LogEpochRepository } from './log-epoch.repository';
import { LogHome } from './log-home';
import { LogHomeRepository } from './log-home.repository';
import { AwaitEventsHandler } from './queries/await-events.handler';
import { RelayStateEntity } from './relay-state.entity';
import { EventSubscriberEntity } from './subscribers/event-subscriber.entity';
import { SubscriberCheckpointsRepository } from './subscribers/subscriber-checkpoints.repository';
import { SubscriberRunner } from './subscribers/subscriber-runner';

/** The append-only log of everything that happened: written with every change, read forward, waited for. */
@Module({
  imports: [
    CqrsModule,
    DiscoveryModule,
    IdentityModule,
    TypeOrmModule.forFeature([EventEntity, EventSubscriberEntity, RelayStateEntity]),
  ],
  controllers: [EventStreamController],
  providers: [
    AwaitEventsHandler,
    EventFeed,
    EventLogRepository,
    EventReaderRepository,
    EventStream,
    LogEpochRepository,
    LogHome,
    LogHomeRepository,
    SubscriberCheckpointsRepository,
    SubscriberRunner,
  ],
  exports: [EventFeed, EventLogRepository, EventReaderRepository, SubscriberRunner],
})
export class EventsModule {}

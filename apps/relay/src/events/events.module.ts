import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventEntity } from './event.entity';
import { EventLogRepository } from './event-log.repository';

/** The append-only log of everything that happened. */
@Module({
  imports: [TypeOrmModule.forFeature([EventEntity])],
  providers: [EventLogRepository],
  exports: [EventLogRepository],
})
export class EventsModule {}

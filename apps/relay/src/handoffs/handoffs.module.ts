import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AgentsModule } from '../agents';
import { EventsModule } from '../events';
import { IdempotencyModule } from '../idempotency';
import { MessagesModule } from '../messages';
import { RateLimitingModule } from '../rate-limiting';
import { AcceptHandoffHandler } from './commands/accept-handoff';
import { AppendDraftHandler } from './commands/append-draft';
import { AppendMessageHandler } from './commands/append-message';
import { CancelHandoffHandler } from './commands/cancel-handoff';
import { CompleteHandoffHandler } from './commands/complete-handoff';
import { ReleaseHandoffsHandler } from './commands/release-handoffs';
import { SendHandoffHandler } from './commands/send-handoff';
import { HandoffLocksRepository } from './handoff-locks.repository';
import { HandoffEntity } from './handoff.entity';
import { HandoffsRepository } from './handoffs.repository';
import { InboxRestController } from './inbox-rest.controller';
import { OpenHandoffsRepository } from './open-handoffs.repository';
import { HandoffPolicies } from './policies/handoff-policies';
import { HandoffListRepository } from './queries/list-handoffs/handoff-list.repository';
import { ListHandoffsHandler } from './queries/list-handoffs/list-handoffs.handler';
import { ViewThreadHandler } from './queries/view-thread/view-thread.handler';
import { ThreadsRepository } from './threads.repository';
import { TransitionCounter } from './transition-counter';
import { ThreadAppender } from './write/thread-appender';
import { ThreadWriter } from './write/thread-writer';

/** The handoff: what can be done to it, and how it is read. */
@Module({
  imports: [
    CqrsModule,
    DiscoveryModule,
    AgentsModule,
    EventsModule,
    IdempotencyModule,
    MessagesModule,
    RateLimitingModule,
    TypeOrmModule.forFeature([HandoffEntity]),
  ],
  controllers: [InboxRestController],
  exports: [OpenHandoffsRepository, TransitionCounter],
  providers: [
    AcceptHandoffHandler,
    AppendDraftHandler,
    AppendMessageHandler,
    CancelHandoffHandler,
    CompleteHandoffHandler,
    ReleaseHandoffsHandler,
    HandoffListRepository,
    HandoffPolicies,
    OpenHandoffsRepository,
    HandoffLocksRepository,
    HandoffsRepository,
    ListHandoffsHandler,
    SendHandoffHandler,
    ThreadAppender,
    ThreadWriter,
    ThreadsRepository,
    TransitionCounter,
    ViewThreadHandler,
  ],
})
export class HandoffsModule {}

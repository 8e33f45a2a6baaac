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
import { GiveBackWorkHandler } from './commands/give-back-work';
import { SendHandoffHandler } from './commands/send-handoff';
import { HandoffLocksRepository } from './handoff-locks.repository';
import { HandoffEntity } from './handoff.entity';
import { HandoffsRepository } from './handoffs.repository';
import { InboxRestController } from './inbox-rest.controller';
import { OpenWorkRepository } from './open-work.repository';
import { HandoffPolicies } from './policies/handoff-policies';
import { HandoffListRepository } from './queries/list-handoffs/handoff-list.repository';
import { ListHandoffsHandler } from './queries/list-handoffs/list-handoffs.handler';
import { ViewThreadHandler } from './queries/view-thread/view-thread.handler';
import { ThreadsRepository } from './threads.repository';
import { TransitionTally } from './transition-tally';
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
  exports: [OpenWorkRepository, TransitionTally],
  providers: [
    AcceptHandoffHandler,
    AppendDraftHandler,
    AppendMessageHandler,
    CancelHandoffHandler,
    CompleteHandoffHandler,
    GiveBackWorkHandler,
    HandoffListRepository,
    HandoffPolicies,
    OpenWorkRepository,
    HandoffLocksRepository,
    HandoffsRepository,
    ListHandoffsHandler,
    SendHandoffHandler,
    ThreadAppender,
    ThreadWriter,
    ThreadsRepository,
    TransitionTally,
    ViewThreadHandler,
  ],
})
export class HandoffsModule {}

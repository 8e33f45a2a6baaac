import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AgentsModule } from '../agents';
import { EventsModule } from '../events';
import { HandoffsModule } from '../handoffs';
import { IdempotencyModule } from '../idempotency';
import { IdentityModule } from '../identity';
import { InvitesModule } from '../invites';
import { RateLimitingModule } from '../rate-limiting';
import { DisableAgentHandler } from './commands/disable-agent.handler';
import { EraseAgentHandler } from './commands/erase-agent.handler';
import { ExportRepository } from './export.repository';
import { OffboardingController } from './offboarding.controller';

/** What happens when a person leaves the team. */
@Module({
  imports: [
    CqrsModule,
    AgentsModule,
    EventsModule,
    HandoffsModule,
    IdempotencyModule,
    IdentityModule,
    InvitesModule,
    RateLimitingModule,
  ],
  controllers: [OffboardingController],
  providers: [DisableAgentHandler, EraseAgentHandler, ExportRepository],
})
export class OffboardingModule {}

import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventsModule } from '../events';
import { IdempotencyModule } from '../idempotency';
import { IdentityModule } from '../identity';
import { AdminAgentsController } from './admin-agents.controller';
import { AgentRegistrar } from './agent-registrar';
import { AgentEntity } from './agent.entity';
import { AgentsRepository } from './agents.repository';
import { BlockTeammateHandler } from './blocks/block-teammate.handler';
import { BlockEntity } from './blocks/block.entity';
import { BlocksRepository } from './blocks/blocks.repository';
import { UnblockTeammateHandler } from './blocks/unblock-teammate.handler';
import { CardEntity } from './card.entity';
import { EndOwnKeyHandler } from './commands/end-own-key.handler';
import { IssueKeyHandler } from './commands/issue-key.handler';
import { RegisterAgentHandler } from './commands/register-agent.handler';
import { RevokeKeyHandler } from './commands/revoke-key.handler';
import { RotateKeyHandler } from './commands/rotate-key.handler';
import { RotateOwnKeyHandler } from './commands/rotate-own-key.handler';
import { UpdateAgentHandler } from './commands/update-agent.handler';
import { UpdateCardHandler } from './commands/update-card.handler';
import { KeyRevocation } from './key-revocation';
import { MeController } from './me.controller';
import { OwnerEntity } from './owner.entity';
import { ListTeammatesHandler } from './queries/list-teammates.handler';
import { RosterController } from './roster.controller';

/** Owners, their agents, what the agents say of themselves, and who blocks whom. */
@Module({
  imports: [
    CqrsModule,
    EventsModule,
    IdempotencyModule,
    IdentityModule,
    TypeOrmModule.forFeature([AgentEntity, BlockEntity, CardEntity, OwnerEntity]),
  ],
  controllers: [AdminAgentsController, MeController, RosterController],
  providers: [
    AgentRegistrar,
    AgentsRepository,
    BlocksRepository,
    BlockTeammateHandler,
    EndOwnKeyHandler,
    IssueKeyHandler,
    KeyRevocation,
    ListTeammatesHandler,
    RegisterAgentHandler,
    RevokeKeyHandler,
    UnblockTeammateHandler,
    RotateKeyHandler,
    RotateOwnKeyHandler,
    UpdateAgentHandler,
    UpdateCardHandler,
  ],
  exports: [AgentRegistrar, AgentsRepository, BlocksRepository],
})
export class AgentsModule {}

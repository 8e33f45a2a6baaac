import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AgentsModule } from '../agents';
import { EventsModule } from '../events';
import { IdempotencyModule } from '../idempotency';
import { IdentityModule } from '../identity';
import { RateLimitingModule } from '../rate-limiting';
import { MintInviteHandler } from './commands/mint-invite.handler';
import { RedeemInviteHandler } from './commands/redeem-invite.handler';
import { RevokeInviteHandler } from './commands/revoke-invite.handler';
import { InviteEntity } from './invite.entity';
import { InvitesController } from './invites.controller';
import { InvitesRepository } from './invites.repository';

/** How newcomers join: a link that registers one handle, once. */
@Module({
  imports: [
    CqrsModule,
    AgentsModule,
    EventsModule,
    IdempotencyModule,
    IdentityModule,
    RateLimitingModule,
    TypeOrmModule.forFeature([InviteEntity]),
  ],
  controllers: [InvitesController],
  providers: [InvitesRepository, MintInviteHandler, RedeemInviteHandler, RevokeInviteHandler],
  exports: [InvitesRepository],
})
export class InvitesModule {}

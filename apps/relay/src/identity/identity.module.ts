import { Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RatesModule } from '../rates';
import { Administrators } from './administrators';
import { ApiKeyIssuer } from './api-key-issuer';
import { ApiKeyEntity } from './api-key.entity';
import { ApiKeysRepository } from './api-keys.repository';
import { Authenticator } from './authenticator';
import { CallRateInterceptor } from './call-rate.interceptor';
import { CallingKey } from './calling-key';
import { IdentityGuard } from './identity.guard';
import { LastUses } from './last-uses';
import { Peppers } from './peppers';
import { Strategies } from './strategies';
import { VouchedAgentsRepository } from './vouched-agents.repository';

/** Who is calling: API keys, admin tokens and the guard that asks for them. */
@Module({
  imports: [DiscoveryModule, RatesModule, TypeOrmModule.forFeature([ApiKeyEntity])],
  providers: [
    Administrators,
    ApiKeyIssuer,
    ApiKeysRepository,
    Authenticator,
    CallingKey,
    LastUses,
    Peppers,
    Strategies,
    VouchedAgentsRepository,
    { provide: APP_GUARD, useClass: IdentityGuard },
    { provide: APP_INTERCEPTOR, useClass: CallRateInterceptor },
  ],
  exports: [Peppers, ApiKeyIssuer, ApiKeysRepository, Authenticator, CallingKey],
})
export class IdentityModule {}

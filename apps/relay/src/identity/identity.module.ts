import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RateLimitingModule } from '../rate-limiting';
import { Administrators } from './administrators';
import { Admission } from './admission';
import { ApiKeyIssuer } from './api-key-issuer';
import { ApiKeyEntity } from './api-key.entity';
import { ApiKeysRepository } from './api-keys.repository';
import { Authenticator } from './authenticator';
import { CallingKey } from './calling-key';
import { LastUses } from './last-uses';
import { Peppers } from './peppers';
import { Strategies } from './strategies';
import { ExternalIdentitiesRepository } from './external-identities.repository';

/** Who is calling: API keys, admin tokens, and who is let in. */
@Module({
  imports: [DiscoveryModule, RateLimitingModule, TypeOrmModule.forFeature([ApiKeyEntity])],
  providers: [
    Administrators,
    Admission,
    ApiKeyIssuer,
    ApiKeysRepository,
    Authenticator,
    CallingKey,
    LastUses,
    Peppers,
    Strategies,
    ExternalIdentitiesRepository,
  ],
  exports: [Peppers, ApiKeyIssuer, ApiKeysRepository, Authenticator, CallingKey],
})
export class IdentityModule {}

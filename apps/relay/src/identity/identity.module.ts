import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Administrators } from './administrators';
import { ApiKeyEntity } from './api-key.entity';
import { ApiKeyIssuer } from './api-key-issuer';
import { ApiKeysRepository } from './api-keys.repository';
import { Authenticator } from './authenticator';
import { IdentityGuard } from './identity.guard';
import { Peppers } from './peppers';

/** Who is calling: API keys, admin tokens and the guard that asks for them. */
@Module({
  imports: [TypeOrmModule.forFeature([ApiKeyEntity])],
  providers: [
    Administrators,
    ApiKeyIssuer,
    ApiKeysRepository,
    Authenticator,
    Peppers,
    { provide: APP_GUARD, useClass: IdentityGuard },
  ],
  exports: [ApiKeyIssuer, ApiKeysRepository, Authenticator],
})
export class IdentityModule {}

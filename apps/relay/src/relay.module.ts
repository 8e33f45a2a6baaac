import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, DiscoveryModule } from '@nestjs/core';
import { LoggerModule } from 'nestjs-pino';
import { AgentsModule } from './agents';
import { AuditModule } from './audit';
import { ConfigModule, LogConfig, type Settings } from './config';
import { DatabaseModule } from './database';
import { ErrorFilter } from './http';
import { EventsModule } from './events';
import type { Extension } from './extensions';
import { HandoffsModule } from './handoffs';
import { HealthModule } from './health';
import { IdempotencyModule } from './idempotency';
import { IdentityModule } from './identity';
import { InboxModule } from './inbox';
import { InvitesModule } from './invites';
import { OffboardingModule } from './offboarding';
import { loggerOptions } from './logging';
import { MessagesModule } from './messages';
import { MetricsModule } from './metrics';
import { RpcModule } from './rpc';
import { MaintenanceModule } from './maintenance';

/** The relay, as a table of contents. */
@Module({})
export class RelayModule {
  static forSettings(settings: Settings, extensions: readonly Extension[]): DynamicModule {
    return {
      module: RelayModule,
      imports: [
        ConfigModule.forSettings(settings),
        LoggerModule.forRootAsync({ inject: [LogConfig], useFactory: loggerOptions }),
        DiscoveryModule,
        DatabaseModule,
        IdentityModule,
        AgentsModule,
        HandoffsModule,
        MessagesModule,
        IdempotencyModule,
        EventsModule,
        AuditModule,
        InvitesModule,
        OffboardingModule,
        MaintenanceModule,
        RpcModule,
        HealthModule,
        InboxModule,
        MetricsModule,
        ...extensions,
      ],
      providers: [{ provide: APP_FILTER, useClass: ErrorFilter }],
    };
  }
}

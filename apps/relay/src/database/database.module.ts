import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseConfig } from '../config';
import { ConnectionPool } from './connection-pool';
import { dataSourceOptions } from './data-source-options';
import { DatabaseNotifications } from './database-notifications';
import { DurabilityCheck } from './durability';
import { migrate } from './migrator';
import { NewConnections } from './new-connections';
import { NewConnectionsModule } from './new-connections.module';
import { SchemaVersion } from './schema-version';
import { MaintenanceConnection } from './maintenance-connection';
import { UnitOfWork } from './unit-of-work';

/** Connects the pool, after bringing the schema up where this process may. Entities come with their modules. */
@Global()
@Module({
  imports: [
    NewConnectionsModule,
    TypeOrmModule.forRootAsync({
      imports: [NewConnectionsModule],
      inject: [DatabaseConfig, NewConnections],
      useFactory: async (config: DatabaseConfig, connections: NewConnections) => {
        if (config.migrateOnStart) await migrate(config.directUrl);
        return {
          ...dataSourceOptions(config, (client) => connections.admit(client)),
          autoLoadEntities: true,
          retryAttempts: 0,
        };
      },
    }),
  ],
  providers: [ConnectionPool, DatabaseNotifications, DurabilityCheck, SchemaVersion, MaintenanceConnection, UnitOfWork],
  exports: [
    ConnectionPool,
    DatabaseNotifications,
    NewConnectionsModule,
    SchemaVersion,
    MaintenanceConnection,
    UnitOfWork,
  ],
})
export class DatabaseModule {}

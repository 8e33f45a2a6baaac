export { ConnectionPool } from './connection-pool';
export { brokenUniqueConstraint, DatabaseAway, isDatabaseAway, isForeignKeyBroken } from './database-errors';
export { DatabaseNotifications } from './database-notifications';
export { DatabaseModule } from './database.module';
export { migrate } from './migrator';
export { type Ask, NewConnections } from './new-connections';
export { SchemaVersion } from './schema-version';
export { type Statements, MaintenanceConnection } from './maintenance-connection';
export { Transaction, UnitOfWork } from './unit-of-work';

export { ConnectionPool } from './connection-pool';
export { dataSourceOptions } from './data-source-options';
export { brokenUniqueConstraint, isDatabaseAway } from './database-errors';
export { DatabaseNotifications } from './database-notifications';
export { DatabaseModule } from './database.module';
export { migrate } from './migrator';
export { SchemaVersion } from './schema-version';
export { Transaction, UnitOfWork } from './unit-of-work';

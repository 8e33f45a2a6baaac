export { ConfigModule } from './config.module';
export { type Environment, InvalidSettingsError, readSettings } from './environment';
export { DatabaseConfig, HttpConfig, IdentityConfig, LogConfig, type NamedSecret, PublicUrl } from './relay-config';
export type { Settings } from './settings';

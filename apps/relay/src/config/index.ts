export { ConfigModule } from './config.module';
export { type Environment, formerNamesGiven, readSettings } from './environment';
export { limitsOf } from './limit-settings';
export {
  DatabaseConfig,
  HttpConfig,
  IdentityConfig,
  LogConfig,
  MetricsConfig,
  PublicUrl,
  RatesConfig,
  RetentionConfig,
} from './relay-config';
export { describeSettings, type Settings } from './settings';

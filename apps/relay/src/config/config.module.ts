import { type DynamicModule, Global, Module } from '@nestjs/common';
import {
  DatabaseConfig,
  HttpConfig,
  IdentityConfig,
  LogConfig,
  MetricsConfig,
  PublicUrl,
  RatesConfig,
  RetentionConfig,
} from './relay-config';
import type { Settings } from './settings';

/** One small typed config per concern, made from settings that were already checked. */
@Global()
@Module({})
export class ConfigModule {
  static forSettings(settings: Settings): DynamicModule {
    const providers = [
      HttpConfig,
      PublicUrl,
      DatabaseConfig,
      IdentityConfig,
      LogConfig,
      MetricsConfig,
      RatesConfig,
      RetentionConfig,
    ].map((config) => ({
      provide: config,
      useValue: new config(settings),
    }));
    return { module: ConfigModule, providers, exports: providers };
  }
}

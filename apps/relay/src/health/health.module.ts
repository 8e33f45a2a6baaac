import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller';
import { Indicators } from './indicators';
import { Readiness } from './readiness';
import { SchemaIndicator } from './schema.indicator';

@Module({
  // Each indicator logs its own error; a line for each probe beside it would say less.
  imports: [DiscoveryModule, TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [Indicators, Readiness, SchemaIndicator],
  exports: [Readiness],
})
export class HealthModule {}

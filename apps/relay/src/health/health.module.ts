import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { HealthController } from './health.controller';
import { Indicators } from './indicators';
import { Readiness } from './readiness';

@Module({
  imports: [DiscoveryModule],
  controllers: [HealthController],
  providers: [Indicators, Readiness],
  exports: [Readiness],
})
export class HealthModule {}

import { Module } from '@nestjs/common';
import { EventsModule } from '../events';
import { HandoffsModule } from '../handoffs';
import { HealthModule } from '../health';
import { RateLimitingModule } from '../rate-limiting';
import { RpcModule } from '../rpc';
import { Gauges } from './gauges';
import { MetricsRegistry } from './metrics-registry';
import { MetricsServer } from './metrics-server';
import { TeamStateRepository } from './team-state.repository';
import { Traffic } from './traffic';

/** How the relay fares, for Prometheus. */
@Module({
  imports: [EventsModule, HandoffsModule, HealthModule, RateLimitingModule, RpcModule],
  providers: [Gauges, MetricsRegistry, MetricsServer, TeamStateRepository, Traffic],
})
export class MetricsModule {}

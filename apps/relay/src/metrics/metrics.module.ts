import { Module } from '@nestjs/common';
import { EventsModule } from '../events';
import { HandoffsModule } from '../handoffs';
import { HealthModule } from '../health';
import { RatesModule } from '../rates';
import { RpcModule } from '../rpc';
import { Gauges } from './gauges';
import { MetricsRegistry } from './metrics-registry';
import { MetricsServer } from './metrics-server';
import { TeamStateRepository } from './team-state.repository';
import { Traffic } from './traffic';

/** How the relay fares, for Prometheus. */
@Module({
  imports: [EventsModule, HandoffsModule, HealthModule, RatesModule, RpcModule],
  providers: [Gauges, MetricsRegistry, MetricsServer, TeamStateRepository, Traffic],
})
export class MetricsModule {}

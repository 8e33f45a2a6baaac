import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type HealthIndicatorFunction, type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { EXTENSION_ANSWER_MS, type DiscoveredProvider, discoverProviders, withTimeout } from '../extensions';
import { HEALTH_INDICATOR, type HealthCheck } from './health-indicator.decorator';

/** The conditions of readiness that modules have registered. */
@Injectable()
export class Indicators implements OnModuleInit {
  private readonly logger = new Logger(Indicators.name);
  private indicators: DiscoveredProvider<{ name: string }, HealthCheck>[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly health: HealthIndicatorService,
  ) {}

  onModuleInit(): void {
    this.indicators = discoverProviders(this.discovery, HEALTH_INDICATOR, 'health indicator');
  }

  all(): HealthIndicatorFunction[] {
    return this.indicators.map((indicator) => () => this.ask(indicator));
  }

  /** What went wrong is logged; a probe is told the name alone. */
  private async ask({
    name,
    instance,
  }: DiscoveredProvider<{ name: string }, HealthCheck>): Promise<HealthIndicatorResult> {
    try {
      await withTimeout(EXTENSION_ANSWER_MS, () => instance.check());
      return this.health.check(name).up();
    } catch (error) {
      this.logger.warn({ err: error, indicator: name }, 'A health indicator makes this replica unready.');
      return this.health.check(name).down();
    }
  }
}

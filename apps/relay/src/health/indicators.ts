import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { EXTENSION_ANSWER_MS, type Registered, registered, within } from '../extensions';
import { HEALTH_INDICATOR, type HealthCheck } from './health-indicator.decorator';

/** The conditions of readiness that modules have registered. */
@Injectable()
export class Indicators implements OnModuleInit {
  private readonly logger = new Logger(Indicators.name);
  private indicators: Registered<{ name: string }, HealthCheck>[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.indicators = registered(this.discovery, HEALTH_INDICATOR, 'health indicator');
  }

  /** The names of those that are not met, all asked at once. */
  async unmet(): Promise<string[]> {
    const verdicts = await Promise.all(
      this.indicators.map(async ({ name, instance }) => {
        try {
          await within(EXTENSION_ANSWER_MS, () => instance.check());
          return [];
        } catch (error) {
          this.logger.warn({ err: error, indicator: name }, 'A health indicator makes this replica unready.');
          return [name];
        }
      }),
    );
    return verdicts.flat();
  }
}

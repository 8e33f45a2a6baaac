import { Injectable, type OnModuleDestroy, type OnModuleInit, ServiceUnavailableException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type HealthCheckResult, HealthCheckService, type HealthIndicatorFunction } from '@nestjs/terminus';
import type { FastifyInstance } from 'fastify';
import { HttpConfig } from '../config';
import { Indicators } from './indicators';
import { SchemaIndicator } from './schema.indicator';

/** How long a replica that could serve is taken to be able to. */
const MET_MS = 500;

export interface ReadinessReport {
  status: 'ok' | 'unavailable';
  /** What is missing, when something is: one of the relay's own reasons, or the health indicators that are not met. */
  reason?: string;
}

/** Whether this replica can serve: the database answers and takes writes, its schema is new enough, every health indicator is met, and no shutdown is under way. */
@Injectable()
export class Readiness implements OnModuleInit, OnModuleDestroy {
  private draining = false;
  private asking: Promise<ReadinessReport> | undefined;
  private metUntil = 0;

  constructor(
    private readonly health: HealthCheckService,
    private readonly schema: SchemaIndicator,
    private readonly indicators: Indicators,
    private readonly http: HttpConfig,
    private readonly host: HttpAdapterHost,
  ) {}

  /**
   * While it shuts down each answer ends its connection: a client that keeps one, as past any load balancer, then goes to
   * another replica in time, and no kept connection holds the listener open.
   */
  onModuleInit(): void {
    this.host.httpAdapter.getInstance<FastifyInstance>().addHook('onSend', (_request, reply, payload, done) => {
      if (this.draining) void reply.header('connection', 'close');
      done(null, payload);
    });
  }

  /** Asks at most once at a time, and for half a second not again when all was well: probes are open to everybody. */
  async report(): Promise<ReadinessReport> {
    if (this.draining) return { status: 'unavailable', reason: 'shutting down' };
    if (performance.now() < this.metUntil) return { status: 'ok' };
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    const report = await this.asking;
    if (report.status === 'ok') this.metUntil = performance.now() + MET_MS;
    return report;
  }

  private async ask(): Promise<ReadinessReport> {
    const needed = await this.unmet([() => this.schema.isCurrent()]);
    // Indicators of extensions may need the database, and have nothing to add when it is away.
    const unmet = needed.length > 0 ? needed : await this.unmet(this.indicators.all());
    return unmet.length === 0 ? { status: 'ok' } : { status: 'unavailable', reason: unmet.join(', ') };
  }

  /** What is not met: its message when it has one, else its name. */
  private async unmet(indicators: HealthIndicatorFunction[]): Promise<string[]> {
    try {
      await this.health.check(indicators);
      return [];
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      const { error: down = {} } = error.getResponse() as HealthCheckResult;
      return Object.entries(down).map(([name, indicator]) => (indicator?.['message'] as string | undefined) ?? name);
    }
  }

  /** Turns unready first, and gives load balancers the configured time to notice before the listener closes. */
  async onModuleDestroy(): Promise<void> {
    this.draining = true;
    await new Promise((resolve) => setTimeout(resolve, this.http.shutdownDelayMs));
  }
}

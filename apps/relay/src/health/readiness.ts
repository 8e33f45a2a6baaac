import { type OnModuleDestroy, Injectable } from '@nestjs/common';
import { HttpConfig } from '../config';
import { SchemaVersion } from '../database';

export interface ReadinessReport {
  status: 'ok' | 'unavailable';
  /** What is missing, when something is. */
  reason?: 'database unreachable' | 'schema too old' | 'shutting down';
}

/** Whether this replica can serve: the database answers, its schema is new enough, and no shutdown is under way. */
@Injectable()
export class Readiness implements OnModuleDestroy {
  private draining = false;

  constructor(
    private readonly schema: SchemaVersion,
    private readonly http: HttpConfig,
  ) {}

  async report(): Promise<ReadinessReport> {
    if (this.draining) return { status: 'unavailable', reason: 'shutting down' };
    switch (await this.schema.check()) {
      case 'current':
        return { status: 'ok' };
      case 'old':
        return { status: 'unavailable', reason: 'schema too old' };
      case 'unreachable':
        return { status: 'unavailable', reason: 'database unreachable' };
    }
  }

  /** Turns unready first, and gives load balancers the configured time to notice before the listener closes. */
  async onModuleDestroy(): Promise<void> {
    this.draining = true;
    await new Promise((resolve) => setTimeout(resolve, this.http.shutdownDelayMs));
  }
}

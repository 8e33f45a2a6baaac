import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { SchemaVersion } from '../database';

const REASONS = {
  old: 'schema too old',
  preparing: 'preparing the event log',
  'read-only': 'database read-only',
  unreachable: 'database unreachable',
} as const;

/** The database answers and takes writes, its schema is new enough, and what had to be prepared on it has been. */
@Injectable()
export class SchemaIndicator {
  constructor(
    private readonly schema: SchemaVersion,
    private readonly health: HealthIndicatorService,
  ) {}

  async isCurrent(): Promise<HealthIndicatorResult> {
    const state = await this.schema.check();
    const indicator = this.health.check('database');
    return state === 'current' ? indicator.up() : indicator.down(REASONS[state]);
  }
}

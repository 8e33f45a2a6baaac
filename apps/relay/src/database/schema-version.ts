import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import sql from 'sql-template-tag';
import { TimedOut, withTimeout } from '../extensions';
import { isDatabaseAway } from './database-errors';
import { REQUIRED_MIGRATION } from './migrations';
import { UnitOfWork } from './unit-of-work';

/** How often a relay that was started before its migration looks whether that has come, even when no probe asks. */
const LOOK_MS = 1_000;
/** How long whoever asks waits for what is being prepared. */
const PATIENCE_MS = 2_000;

/** Compares the database's schema with what this version of the relay needs. */
@Injectable()
export class SchemaVersion implements OnModuleDestroy {
  private readonly logger = new Logger(SchemaVersion.name);
  private readonly preparations: (() => Promise<void>)[] = [];
  private preparing: Promise<void> | undefined;
  private poll: NodeJS.Timeout | undefined;

  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** `current` only when everything that had to be prepared on it has been; that may take longer than anybody asks for. */
  async check(): Promise<'current' | 'old' | 'preparing' | 'read-only' | 'unreachable'> {
    try {
      const database = await this.look();
      if (!database.writable) return 'read-only';
      if (!database.current) return 'old';
    } catch (error) {
      if (isDatabaseAway(error)) return 'unreachable';
      throw error;
    }
    return this.prepared();
  }

  /** Does `preparation` once, before the schema counts as current: now, or when a migration has brought it. */
  async whenCurrent(preparation: () => Promise<void>): Promise<void> {
    this.preparations.push(preparation);
    if ((await this.check()) === 'current') return;
    this.poll ??= setInterval(() => void this.tryAgain(), LOOK_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.poll);
  }

  /** A server that is recovering, or was made read-only for a switchover, refuses writes. */
  private async look(): Promise<{ writable: boolean; current: boolean }> {
    const [row] = await this.unitOfWork.query<{ known: boolean; writable: boolean }>(sql`
      SELECT to_regclass('migrations') IS NOT NULL AS known,
        NOT pg_is_in_recovery() AND NOT current_setting('transaction_read_only')::boolean AS writable`);
    const writable = row?.writable === true;
    if (row?.known !== true) return { writable, current: false };
    const applied = await this.unitOfWork.query(sql`SELECT FROM migrations WHERE name = ${REQUIRED_MIGRATION}`);
    return { writable, current: applied.length > 0 };
  }

  private async prepared(): Promise<'current' | 'preparing'> {
    if (this.preparations.length === 0) return 'current';
    this.preparing ??= this.prepareInOrder().finally(() => (this.preparing = undefined));
    try {
      await withTimeout(PATIENCE_MS, () => this.preparing ?? Promise.resolve());
      return 'current';
    } catch (error) {
      if (!(error instanceof TimedOut))
        this.logger.warn({ err: error }, 'Preparing to serve failed; it is tried again.');
      return 'preparing';
    }
  }

  private async prepareInOrder(): Promise<void> {
    for (let next = this.preparations[0]; next !== undefined; next = this.preparations[0]) {
      await next();
      this.preparations.shift();
    }
  }

  /** A preparation that fails is tried again; whoever asks for readiness is told why. */
  private async tryAgain(): Promise<void> {
    const state = await this.check().catch(() => 'failed' as const);
    if (state === 'current') clearInterval(this.poll);
  }
}

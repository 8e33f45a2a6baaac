import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Interval } from '@nestjs/schedule';
import { v7 as uuidv7 } from 'uuid';
import { RetentionConfig } from '../config';
import { isDatabaseAway } from '../database';
import { ReleaseHandoffs, OpenHandoffsRepository } from '../handoffs';
import { MaintenanceRepository } from './maintenance.repository';

const EVERY_MS = 60_000;
const ABANDONED_BATCH = 20;

/** What a relay does by itself: removes what has had its time, and finishes what a crash left undone. */
@Injectable()
export class MaintenanceService implements OnModuleDestroy {
  private readonly logger = new Logger(MaintenanceService.name);
  private running = false;
  private stopped = false;

  constructor(
    private readonly retention: RetentionConfig,
    private readonly maintenance: MaintenanceRepository,
    private readonly openWork: OpenHandoffsRepository,
    private readonly commands: CommandBus,
  ) {}

  @Interval(EVERY_MS)
  async tick(): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      await this.run();
    } catch (error) {
      if (!isDatabaseAway(error)) this.logger.error({ err: error }, 'The maintenance failed; it goes on in a minute.');
    } finally {
      this.running = false;
    }
  }

  /** Does everything that is due, in batches. */
  async run(): Promise<void> {
    const { eventsDays, threadsDays } = this.retention;
    await this.repeat(() => this.maintenance.removeExpiredIdempotencyRecords());
    await this.repeat(() => this.maintenance.removeOldInvites());
    if (eventsDays > 0) await this.repeat(() => this.removeOldEvents(eventsDays));
    if (threadsDays > 0) await this.repeat(() => this.maintenance.removeOldThreads(threadsDays));
    for (const agentId of await this.openWork.abandoned(ABANDONED_BATCH)) {
      await this.commands.execute(new ReleaseHandoffs(agentId, uuidv7()));
    }
  }

  private async removeOldEvents(days: number): Promise<boolean> {
    const { more, voided } = await this.maintenance.removeOldEvents(days, this.retention.unreadEventsDays);
    for (const { name, missed } of voided) {
      const message =
        'Retention removed events that a subscriber had not read for too long: its place was moved past them.';
      this.logger.error({ subscriber: name, missed_events: missed }, message);
    }
    return more;
  }

  onModuleDestroy(): void {
    this.stopped = true;
  }

  private async repeat(batch: () => Promise<boolean>): Promise<void> {
    while (!this.stopped && (await batch()));
  }
}

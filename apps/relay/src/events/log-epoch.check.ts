import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchemaVersion } from '../database';
import { LogEpochRepository } from './log-epoch.repository';
import { LogHomeRepository } from './log-home.repository';

/** Before this replica is ready, makes sure that the log is still where its cursors were given out. */
@Injectable()
export class LogEpochCheck implements OnApplicationBootstrap {
  private readonly logger = new Logger(LogEpochCheck.name);

  constructor(
    private readonly home: LogHomeRepository,
    private readonly epoch: LogEpochRepository,
    private readonly schema: SchemaVersion,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    // Without its schema there is no log yet, and nothing to compare.
    await this.schema.whenCurrent(async () => {
      if (await this.home.isHome()) return;
      if (await this.epoch.compare()) {
        this.logger.warn('The database was restored or moved: the event log has a new epoch, older cursors are void.');
      }
    });
  }
}

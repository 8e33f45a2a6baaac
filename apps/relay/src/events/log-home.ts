import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { type Ask, DatabaseAway, isDatabaseAway, NewConnections, SchemaVersion, UnitOfWork } from '../database';
import { TimedOut, withTimeout } from '../extensions';
import { LogEpochRepository } from './log-epoch.repository';
import { LogHomeRepository } from './log-home.repository';

/** How long whoever wants a connection waits for the log to be made ready; renumbering a long one takes longer. */
const PATIENCE_MS = 2_000;

/**
 * Makes sure that the log is where its cursors were given out, on every new connection: a failover or a restore brings the relay to
 * another database under the same address, without any restart. Until the epoch is raised nobody gets a connection there.
 */
@Injectable()
export class LogHome implements OnApplicationBootstrap {
  private readonly logger = new Logger(LogHome.name);
  private raising: Promise<void> | undefined;

  constructor(
    private readonly home: LogHomeRepository,
    private readonly epoch: LogEpochRepository,
    private readonly schema: SchemaVersion,
    private readonly unitOfWork: UnitOfWork,
    connections: NewConnections,
  ) {
    connections.onNew((ask) => this.admit(ask));
  }

  /** Without its schema there is no log yet, and nothing to compare. */
  async onApplicationBootstrap(): Promise<void> {
    await this.schema.whenCurrent(async () => {
      // A read without a lock is all that an ordinary start needs.
      if ((await this.home.whereabouts((statement) => this.unitOfWork.query(statement))) !== 'home')
        await this.settle();
    });
  }

  /** Raises the epoch if the log has moved; at once for all who ask on this replica, one after the other for all replicas. */
  settle(): Promise<void> {
    this.raising ??= this.raiseIfMoved().finally(() => (this.raising = undefined));
    return this.raising;
  }

  private async admit(ask: Ask): Promise<void> {
    switch (await this.home.whereabouts(ask)) {
      case 'recovering':
        throw new DatabaseAway('The database server is recovering, or a standby: it takes no writes.');
      case 'moved':
        await this.settled();
        break;
      case 'home':
      case 'no log':
    }
  }

  private async settled(): Promise<void> {
    try {
      await withTimeout(PATIENCE_MS, () => this.settle());
    } catch (error) {
      if (!(error instanceof TimedOut)) throw error;
      throw new DatabaseAway('The event log was restored or moved, and is being made ready.');
    }
  }

  private async raiseIfMoved(): Promise<void> {
    try {
      if (!(await this.epoch.compare())) return;
    } catch (error) {
      if (!isDatabaseAway(error)) this.logger.error({ err: error }, 'Raising the epoch of the event log failed.');
      throw error;
    }
    this.logger.warn(
      'The database was restored, moved or failed over: the event log has a new epoch, older cursors are void.',
    );
  }
}

import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import sql from 'sql-template-tag';
import { SchemaVersion, type Transaction, UnitOfWork } from '../database';
import { BEFORE_ALL_IDS } from './event-cursor';

/** A restored cluster has another identifier; one that was recovered to a point in time has another timeline. */
const CLUSTER = sql`(
  SELECT s.system_identifier::text || '/' || c.timeline_id::text FROM pg_control_system() s, pg_control_checkpoint() c)`;

/**
 * Notices that the log now lives in another PostgreSQL cluster (a restore, a move), whose transaction ids begin anew:
 * then every cursor is void, and the ids stored in the log must not stand above those to come.
 */
@Injectable()
export class LogEpochRepository implements OnApplicationBootstrap {
  private readonly logger = new Logger(LogEpochRepository.name);

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly schema: SchemaVersion,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    // Without its schema there is no log yet, and nothing to compare.
    await this.schema.whenCurrent(() => this.compare());
  }

  private async compare(): Promise<void> {
    const moved = await this.unitOfWork.run(async (transaction) => {
      const [state] = await transaction.query<{ known: string | null; actual: string }>(sql`
        SELECT system_identifier AS known, ${CLUSTER} AS actual FROM relay_state FOR UPDATE`);
      if (state === undefined || state.known === state.actual) return false;
      await transaction.query(sql`UPDATE relay_state SET system_identifier = ${state.actual}`);
      if (state.known === null) return false;
      await this.raiseIn(transaction);
      return true;
    });
    if (moved) {
      this.logger.warn('The database was restored or moved: the event log has a new epoch, older cursors are void.');
    }
  }

  /** What an operator does by hand after a restore that the relay could not notice. Returns the new epoch. */
  raise(): Promise<number> {
    return this.unitOfWork.run((transaction) => this.raiseIn(transaction));
  }

  private async raiseIn(transaction: Transaction): Promise<number> {
    const [state] = await transaction.query<{ epoch: number }>(sql`
      UPDATE relay_state SET epoch = epoch + 1, removed_through = 0 RETURNING epoch`);
    await transaction.query(sql`UPDATE events SET transaction_id = 0 WHERE transaction_id <> 0`);
    // Within one transaction id the order is that of the ids, which are ordered by time.
    await transaction.query(sql`
      UPDATE event_subscribers SET transaction_id = 0, event_id = CASE WHEN event_id <> ${BEFORE_ALL_IDS}::uuid THEN event_id
        ELSE coalesce((SELECT id FROM events ORDER BY transaction_id DESC, id DESC LIMIT 1), event_id) END`);
    return state?.epoch ?? 0;
  }
}

import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import sql from 'sql-template-tag';
import { SchemaVersion, UnitOfWork } from '../database';

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
    if ((await this.schema.check()) !== 'current') return;
    const raised = await this.unitOfWork.run(async (transaction) => {
      const [state] = await transaction.query<{ known: string | null; actual: string }>(sql`
        SELECT system_identifier AS known, ${CLUSTER} AS actual FROM relay_state FOR UPDATE`);
      if (state === undefined || state.known === state.actual) return false;
      const moved = state.known !== null;
      await transaction.query(sql`
        UPDATE relay_state SET system_identifier = ${state.actual}, epoch = epoch + ${moved ? 1 : 0},
          removed_through = CASE WHEN ${moved} THEN 0 ELSE removed_through END`);
      if (moved) await transaction.query(sql`UPDATE events SET transaction_id = 0 WHERE transaction_id <> 0`);
      return moved;
    });
    if (raised)
      this.logger.warn('The database was restored or moved: the event log has a new epoch, older cursors are void.');
  }
}

/** A restored cluster has another identifier; one that was recovered to a point in time has another timeline. */
const CLUSTER = sql`(
  SELECT s.system_identifier::text || '/' || c.timeline_id::text FROM pg_control_system() s, pg_control_checkpoint() c)`;

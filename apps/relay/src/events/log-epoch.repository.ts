import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { type Statements, UnhurriedWork } from '../database';
import { BEFORE_ALL_IDS } from './event-cursor';

/** A restored cluster has another identifier; one that was recovered to a point in time has another timeline. */
export const CLUSTER = sql`(
  SELECT s.system_identifier::text || '/' || c.timeline_id::text FROM pg_control_system() s, pg_control_checkpoint() c)`;

/**
 * Which life of the log cursors belong to. In another cluster transaction ids begin anew: then every cursor is void, and the ids
 * stored in the log must not stand above those to come. Renumbering a long log takes long.
 */
@Injectable()
export class LogEpochRepository {
  constructor(private readonly unhurried: UnhurriedWork) {}

  /** Raises the epoch when the log has come to another cluster since it was last compared, and says whether it had. */
  compare(): Promise<boolean> {
    return this.unhurried.run(async (statements) => {
      const [state] = await statements.query<{ known: string | null; actual: string }>(sql`
        SELECT system_identifier AS known, ${CLUSTER} AS actual FROM relay_state FOR UPDATE`);
      if (state === undefined || state.known === state.actual) return false;
      await statements.query(sql`UPDATE relay_state SET system_identifier = ${state.actual}`);
      if (state.known === null) return false;
      await this.raiseIn(statements);
      return true;
    });
  }

  /** What an operator does by hand after a restore that the relay could not notice. Returns the new epoch. */
  raise(): Promise<number> {
    return this.unhurried.run((statements) => this.raiseIn(statements));
  }

  private async raiseIn(statements: Statements): Promise<number> {
    const [state] = await statements.query<{ epoch: number }>(sql`
      UPDATE relay_state SET epoch = epoch + 1, removed_through = 0 RETURNING epoch`);
    await statements.query(sql`UPDATE events SET transaction_id = 0 WHERE transaction_id <> 0`);
    // Within one transaction id the order is that of the ids, which are ordered by time.
    await statements.query(sql`
      UPDATE event_subscribers SET transaction_id = 0, event_id = CASE WHEN event_id <> ${BEFORE_ALL_IDS}::uuid THEN event_id
        ELSE coalesce((SELECT id FROM events ORDER BY transaction_id DESC, id DESC LIMIT 1), event_id) END`);
    return state?.epoch ?? 0;
  }
}

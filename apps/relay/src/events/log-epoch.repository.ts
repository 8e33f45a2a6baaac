import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { type Statements, MaintenanceConnection } from '../database';
import { CLUSTER } from './log-home.repository';

/**
 * Which life of the log cursors belong to. In another cluster transaction ids begin anew: then every cursor is void, and the ids
 * stored in the log must not stand above those to come. Renumbering a long log takes long.
 */
@Injectable()
export class LogEpochRepository {
  constructor(private readonly maintenance: MaintenanceConnection) {}

  /** Raises the epoch when the log has come to another cluster since it was last compared, and says whether it had. */
  compare(): Promise<boolean> {
    return this.alone(async (statements) => {
      const [state] = await statements.query<{ known: string | null; actual: string }>(sql`
        SELECT system_identifier AS known, ${CLUSTER} AS actual FROM relay_state`);
      if (state === undefined || state.known === state.actual) return false;
      if (state.known !== null) await this.raiseIn(statements);
      await statements.query(sql`UPDATE relay_state SET system_identifier = ${state.actual}`);
      return state.known !== null;
    });
  }

  /** What an operator does by hand after a restore that the relay could not notice. Returns the new epoch's number. */
  raise(): Promise<number> {
    return this.alone((statements) => this.raiseIn(statements));
  }

  /** One at a time over all replicas, and whoever waits does so without a transaction id, which would hold back readers. */
  private alone<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result> {
    return this.maintenance.run(async (statements) => {
      await statements.query(sql`SELECT pg_advisory_xact_lock(hashtext('relay_state'))`);
      return work(statements);
    });
  }

  /**
   * Where the log comes from transactions that this cluster has not had yet, everything in it is moved down by one number: so the
   * order stays, places between events too, and all lies below every transaction that is open or still to come. The lock on the
   * state keeps retention away meanwhile.
   */
  private async raiseIn(statements: Statements): Promise<number> {
    const [state] = await statements.query<{ epoch: number }>(
      sql`SELECT epoch + 1 AS epoch FROM relay_state FOR UPDATE`,
    );
    const [above] = await statements.query<{ shift: string }>(sql`
      SELECT CASE WHEN top >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint
        THEN top - pg_snapshot_xmin(pg_current_snapshot())::text::bigint + 1 ELSE 0 END AS shift
      FROM (SELECT greatest(0, (SELECT max(transaction_id) FROM events), (SELECT max(transaction_id) - 1 FROM event_subscribers),
        (SELECT removed_through FROM relay_state)) AS top) highest`);
    const shift = sql`${above?.shift ?? '0'}::bigint`;
    if (above?.shift !== '0') await statements.query(sql`UPDATE events SET transaction_id = transaction_id - ${shift}`);
    await statements.query(sql`UPDATE event_subscribers SET transaction_id = transaction_id - ${shift}`);
    // 0 says that nothing was removed, so no place may come to lie there.
    await statements.query(sql`
      UPDATE relay_state SET epoch = epoch + 1, removed_through = CASE removed_through
        WHEN 0 THEN 0 WHEN ${shift} THEN 1 ELSE removed_through - ${shift} END`);
    return state?.epoch ?? 0;
  }
}

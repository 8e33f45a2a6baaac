import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import type { Ask } from '../database';

/**
 * Where the log is: a restored cluster has another identifier; a standby that was promoted, or a cluster recovered to a point in
 * time, has another timeline. The name of the write-ahead log's file tells that at once, the control file only after a checkpoint.
 */
export const CLUSTER = sql`(
  SELECT system_identifier::text || '/' || ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint::text
  FROM pg_control_system())`;

export type Whereabouts = 'home' | 'moved' | 'recovering' | 'no log';

const UNDEFINED_TABLE = '42P01';

@Injectable()
export class LogHomeRepository {
  /** Whether the log that `ask` asks is where its cursors were given out: a read without a lock. */
  async whereabouts(ask: Ask): Promise<Whereabouts> {
    try {
      const [row] = await ask<{ recovering: boolean; home: boolean | null }>(sql`
        SELECT pg_is_in_recovery() AS recovering,
          CASE WHEN NOT pg_is_in_recovery() THEN (SELECT system_identifier = ${CLUSTER} FROM relay_state) END AS home`);
      if (row?.recovering === true) return 'recovering';
      return row?.home === true ? 'home' : 'moved';
    } catch (error) {
      if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return 'no log';
      throw error;
    }
  }
}

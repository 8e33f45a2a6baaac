import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { UnitOfWork } from '../database';
import { CLUSTER } from './log-epoch.repository';

@Injectable()
export class LogHomeRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Whether the log is in the cluster that it was last seen in: a read without a lock, for every start. */
  async isHome(): Promise<boolean> {
    const [state] = await this.unitOfWork.query<{ home: boolean | null }>(sql`
      SELECT system_identifier = ${CLUSTER} AS home FROM relay_state`);
    return state?.home === true;
  }
}

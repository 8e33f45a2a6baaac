import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { isDatabaseAway } from './database-errors';
import { REQUIRED_MIGRATION } from './migrations';
import { UnitOfWork } from './unit-of-work';

/** Compares the database's schema with what this version of the relay needs. */
@Injectable()
export class SchemaVersion {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async check(): Promise<'current' | 'old' | 'unreachable'> {
    try {
      const [row] = await this.unitOfWork.query<{ known: boolean }>(sql`
        SELECT to_regclass('migrations') IS NOT NULL AS known`);
      if (row?.known !== true) return 'old';
      const applied = await this.unitOfWork.query(sql`SELECT FROM migrations WHERE name = ${REQUIRED_MIGRATION}`);
      return applied.length > 0 ? 'current' : 'old';
    } catch (error) {
      if (isDatabaseAway(error)) return 'unreachable';
      throw error;
    }
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Looks through the rows from before, while they are read and written. */
export class TraceContextChecked1796050200000 implements MigrationInterface {
  name = 'TraceContextChecked1796050200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE handoffs VALIDATE CONSTRAINT handoffs_traceparent_is_one');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are forward-only; restore a backup instead.'));
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The trace that a handoff was sent in (W3C Trace Context). */
export class TraceContext1796050100000 implements MigrationInterface {
  name = 'TraceContext1796050100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE handoffs ADD COLUMN traceparent text');
    // Checked for new rows at once; looking at the old ones, which hold nothing, needs no lock and has a migration of its own.
    await runner.query(`
      ALTER TABLE handoffs ADD CONSTRAINT handoffs_traceparent_is_one
        CHECK (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$') NOT VALID`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are forward-only; restore a backup instead.'));
  }
}

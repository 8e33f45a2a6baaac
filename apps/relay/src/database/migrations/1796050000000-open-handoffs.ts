import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What operators watch, counting what is open and the oldest of it, looks at nothing that has ended. */
export class OpenHandoffs1796050000000 implements MigrationInterface {
  name = 'OpenHandoffs1796050000000';

  /** Writes go on while the index is built; that does not work inside a transaction. */
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // An attempt that was interrupted has left an index that cannot be used.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS handoffs_open_idx');
    await runner.query(
      `CREATE INDEX CONCURRENTLY handoffs_open_idx ON handoffs (status, created_at) WHERE status IN ('pending', 'accepted')`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are forward-only; restore a backup instead.'));
  }
}

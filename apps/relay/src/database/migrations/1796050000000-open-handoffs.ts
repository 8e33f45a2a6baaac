import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What operators watch, counting what is open and the oldest of it, looks at nothing that has ended. */
export class OpenHandoffs1796050000000 implements MigrationInterface {
  name = 'OpenHandoffs1796050000000';

  /** Writes go on while the index is built; that does not work inside a transaction. */
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // It waits for older transactions to end, however long they take; nobody waits for it meanwhile.
    await runner.query('SET lock_timeout = 0');
    // An attempt that was interrupted has left an index that cannot be used.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS handoffs_open_idx');
    await runner.query(
      `CREATE INDEX CONCURRENTLY handoffs_open_idx ON handoffs (status, created_at) WHERE status IN ('pending', 'accepted')`,
    );
    await runner.query('RESET lock_timeout');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are forward-only; restore a backup instead.'));
  }
}

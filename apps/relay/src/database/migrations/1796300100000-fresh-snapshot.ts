import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A snapshot of now, inside a statement that has another: how a statement finds out whether a transaction has ended since. */
export class FreshSnapshot1796300100000 implements MigrationInterface {
  name = 'FreshSnapshot1796300100000';

  async up(runner: QueryRunner): Promise<void> {
    // A volatile function takes a new snapshot for each of its statements.
    await runner.query(`
      CREATE FUNCTION fresh_snapshot() RETURNS pg_snapshot LANGUAGE plpgsql VOLATILE AS $$
      BEGIN
        RETURN (SELECT pg_current_snapshot());
      END $$`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are forward-only; restore a backup instead.'));
  }
}

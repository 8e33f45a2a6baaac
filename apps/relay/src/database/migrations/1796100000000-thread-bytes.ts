import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many bytes a thread holds, moved by the statements that add messages; null for a thread that was not counted yet. */
export class ThreadBytes1796100000000 implements MigrationInterface {
  name = 'ThreadBytes1796100000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE handoffs ADD COLUMN thread_bytes bigint,
        ADD CONSTRAINT handoffs_thread_bytes_positive CHECK (thread_bytes > 0) NOT VALID`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are forward-only; restore a backup instead.'));
  }
}

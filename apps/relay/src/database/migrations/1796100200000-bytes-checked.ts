import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Looks through the rows from before, while they are read and written. */
export class BytesChecked1796100200000 implements MigrationInterface {
  name = 'BytesChecked1796100200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE handoffs VALIDATE CONSTRAINT handoffs_thread_bytes_positive');
    await runner.query('ALTER TABLE messages VALIDATE CONSTRAINT messages_bytes_cover_the_body');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are forward-only; restore a backup instead.'));
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An epoch that nobody can guess, and what retention has to know of subscribers. */
export class LogEpoch1796300000000 implements MigrationInterface {
  name = 'LogEpoch1796300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE relay_state ADD COLUMN epoch_id text NOT NULL DEFAULT gen_random_uuid()::text');
    // Cursors that the version before has given out name the number: they hold until the epoch is raised for the first time.
    await runner.query(`
      UPDATE relay_state SET epoch_id = epoch::text WHERE removed_through <> 0 OR EXISTS (SELECT FROM events)`);
    // The one row there is has it; nobody adds another.
    await runner.query('ALTER TABLE relay_state ALTER COLUMN epoch_id DROP DEFAULT');
    // Whoever raises the number, the version before among them, gets a new id with it.
    await runner.query(`
      CREATE FUNCTION renew_epoch_id() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.epoch_id = gen_random_uuid()::text;
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER relay_state_new_epoch BEFORE UPDATE OF epoch ON relay_state FOR EACH ROW
        WHEN (OLD.epoch IS DISTINCT FROM NEW.epoch) EXECUTE FUNCTION renew_epoch_id()`);
    await runner.query(`
      ALTER TABLE event_subscribers ADD COLUMN missed_events bigint NOT NULL DEFAULT 0, ADD COLUMN voided_at timestamptz(3)`);
    await runner.query('ALTER TABLE idempotency_records ADD COLUMN answer json');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are forward-only; restore a backup instead.'));
  }
}

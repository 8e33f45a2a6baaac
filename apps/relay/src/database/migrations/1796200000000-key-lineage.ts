import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which key made which, what a rotation changed of a key's end, and invites that give a registered agent a new key. */
export class KeyLineage1796200000000 implements MigrationInterface {
  name = 'KeyLineage1796200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys
        ADD COLUMN parent_id uuid CONSTRAINT api_keys_parent_id_fkey REFERENCES api_keys (id),
        ADD COLUMN term_ends_at timestamp(3) with time zone,
        ADD COLUMN superseded_at timestamp(3) with time zone`);
    // No row has a parent yet, so this is done at once.
    await runner.query('CREATE INDEX api_keys_parent_id_idx ON api_keys (parent_id) WHERE parent_id IS NOT NULL');
    await runner.query(
      'ALTER TABLE invites ADD COLUMN agent_id uuid CONSTRAINT invites_agent_id_fkey REFERENCES agents (id)',
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are forward-only; restore a backup instead.'));
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How many bytes a message takes in an answer. The versions from before leave it null: their messages are measured when they
 * are read, and a trigger counts them into their thread.
 */
export class MessageBytes1796100100000 implements MigrationInterface {
  name = 'MessageBytes1796100100000';

  async up(runner: QueryRunner): Promise<void> {
    // 400 is more than the names of all members with ids, author, kind, number and time.
    await runner.query(`
      CREATE FUNCTION message_bytes(body text, payload json, artifacts json) RETURNS integer
      LANGUAGE sql STABLE PARALLEL SAFE RETURN
        400 + octet_length(to_json(body)::text) + octet_length(payload::text) + octet_length(artifacts::text)`);
    await runner.query(`
      ALTER TABLE messages ADD COLUMN bytes integer,
        ADD CONSTRAINT messages_bytes_cover_the_body CHECK (bytes > octet_length(body)) NOT VALID`);
    await runner.query(`
      CREATE FUNCTION count_uncounted_message() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        -- Not counted yet stays so: then all messages are counted at once, later.
        UPDATE handoffs SET thread_bytes = thread_bytes + message_bytes(NEW.body, NEW.payload, NEW.artifacts)
        WHERE id = NEW.handoff_id AND thread_bytes IS NOT NULL;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER messages_of_older_versions_are_counted AFTER INSERT ON messages FOR EACH ROW
        WHEN (NEW.bytes IS NULL) EXECUTE FUNCTION count_uncounted_message()`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are forward-only; restore a backup instead.'));
  }
}

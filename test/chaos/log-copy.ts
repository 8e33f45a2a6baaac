import { Client } from 'pg';

/** Younger events stay as they are, so that a reader that is not held up finds everything it has not read. */
const KEPT_SECONDS = 20;
const AGE_EVERY_MS = 1_000;

/**
 * Notes each event in the transaction that writes it, and when it was removed: what the log was, whatever renumbering and retention
 * make of it.
 */
export async function copyLog(url: string): Promise<void> {
  await once(
    url,
    `CREATE TABLE chaos_log (LIKE events, timeline text NOT NULL, removed_at timestamptz, PRIMARY KEY (id));
    CREATE FUNCTION chaos_timeline() RETURNS text LANGUAGE sql AS $$ SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) $$;
    CREATE FUNCTION chaos_note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN
        INSERT INTO chaos_log SELECT NEW.*, chaos_timeline();
      ELSE
        UPDATE chaos_log SET removed_at = clock_timestamp() WHERE id = OLD.id;
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER chaos_note AFTER INSERT OR DELETE ON events FOR EACH ROW EXECUTE FUNCTION chaos_note();`,
  );
}

/** Makes events old soon after they were written, so that retention removes them while everything else goes on. */
export class Ageing {
  private readonly timer: NodeJS.Timeout;
  private running: Promise<void> | undefined;

  constructor(private readonly url: string) {
    this.timer = setInterval(() => {
      this.running ??= this.age().finally(() => (this.running = undefined));
    }, AGE_EVERY_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private async age(): Promise<void> {
    // Away while a fault lasts: the next time does it.
    await once(
      this.url,
      `BEGIN; SET LOCAL session_replication_role = 'replica';
      UPDATE events SET created_at = created_at - interval '2 days'
        WHERE created_at BETWEEN now() - interval '1 day' AND now() - interval '${KEPT_SECONDS} seconds';
      COMMIT;`,
    ).catch(() => undefined);
  }
}

async function once(url: string, statements: string): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(statements);
  } finally {
    await client.end().catch(() => undefined);
  }
}

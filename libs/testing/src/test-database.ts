import { Client, Pool } from 'pg';

export const TEMPLATE_DATABASE = 'agentrelay_test_template';

/** A database of the test cluster, and a way to look into it. */
export class TestDatabase {
  private readonly pool: Pool;

  constructor(readonly url: string) {
    this.pool = new Pool({ connectionString: url, max: 4 });
  }

  async query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    const { rows } = await this.pool.query<Row>(text, values);
    return rows;
  }

  /** A connection of one's own, for holding a transaction open. The caller ends it. */
  async connect(): Promise<Client> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    return client;
  }

  /** Runs `work` in a transaction of its own, which is rolled back in the end unless `work` commits it. */
  async inTransaction<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = await this.connect();
    try {
      await client.query('BEGIN');
      return await work(client);
    } finally {
      await client.query('ROLLBACK');
      await client.end();
    }
  }

  /** Empties every table but the record of migrations and the places in the log. */
  async truncate(): Promise<void> {
    const tables = await this.query<{ name: string }>(
      `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('migrations', 'relay_state', 'event_subscribers')`,
    );
    // One statement, so that foreign keys are checked when all is gone; on small tables much faster than TRUNCATE.
    const deletions = tables.map(({ name }, i) => `d${i} AS (DELETE FROM ${name})`);
    await this.query(`WITH ${deletions.join(', ')} SELECT`);
  }

  /** Every row of every table as text, for showing that something is nowhere. Bytes are in hex. */
  async dump(): Promise<string> {
    const tables = await this.query<{ name: string }>(
      `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    const rows = await Promise.all(
      tables.map(({ name }) => this.query<{ row: string }>(`SELECT '${name} ' || t::text AS row FROM ${name} t`)),
    );
    return rows.flatMap((some) => some.map(({ row }) => row)).join('\n');
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}

/** Creates a database: a copy of the migrated template, or an empty one. An old one of that name is dropped. */
export async function createDatabase(name: string, template: 'migrated' | 'empty'): Promise<TestDatabase> {
  const cluster = process.env['AGENTRELAY_TEST_CLUSTER'];
  if (cluster === undefined) throw new Error('The test cluster is not running; start tests with jest.');
  const client = new Client({ connectionString: cluster });
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${template === 'migrated' ? TEMPLATE_DATABASE : 'template0'}`);
  await client.end();
  const url = new URL(cluster);
  url.pathname = `/${name}`;
  return new TestDatabase(url.href);
}

/** A fresh database of this Jest worker. */
export function workerDatabase(): Promise<TestDatabase> {
  return createDatabase(`agentrelay_test_worker_${process.env['JEST_WORKER_ID'] ?? '0'}`, 'migrated');
}

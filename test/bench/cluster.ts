import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@agentrelay/embedded-postgres';
import { Client, type QueryResultRow } from 'pg';
import { migrate } from '../../apps/relay/src/database/migrator';

/** The PostgreSQL that everything is measured on: `DATABASE_URL`, or the embedded one with its durable settings. */
export class Cluster {
  private readonly made: string[] = [];

  private constructor(
    private readonly url: string,
    private readonly release: () => Promise<void>,
  ) {}

  /** With `directory` the cluster, and what was seeded in it, is kept there for the next run. */
  static async start(directory: string | undefined): Promise<Cluster> {
    const given = process.env['DATABASE_URL'];
    if (given) return new Cluster(given, () => Promise.resolve());
    const home = directory ?? mkdtempSync(join(tmpdir(), 'agentrelay-bench-'));
    const server = await startEmbeddedPostgres({ directory: home, durable: true });
    return new Cluster(server.url, async () => {
      await server.stop();
      if (directory === undefined) rmSync(home, { recursive: true, force: true });
    });
  }

  urlOf(database: string): string {
    const url = new URL(this.url);
    url.pathname = `/${database}`;
    return url.href;
  }

  /** An empty, migrated database, dropped at the end; an old one of that name goes. */
  async fresh(database: string): Promise<string> {
    await query(this.url, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
    await query(this.url, `CREATE DATABASE ${database} TEMPLATE template0`);
    this.made.push(database);
    await migrate(this.urlOf(database));
    return this.urlOf(database);
  }

  /** A database that is filled once and found again by every later run on this cluster. */
  async kept(database: string, fill: (url: string) => Promise<void>): Promise<string> {
    const found = await query(this.url, 'SELECT FROM pg_database WHERE datname = $1', [database]);
    if (found.length === 0) {
      // Only a database that was filled to the end gets the name.
      const draft = `${database}_draft`;
      await query(this.url, `DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
      await query(this.url, `CREATE DATABASE ${draft} TEMPLATE template0`);
      await migrate(this.urlOf(draft));
      await fill(this.urlOf(draft));
      await query(this.url, `ALTER DATABASE ${draft} RENAME TO ${database}`);
    }
    return this.urlOf(database);
  }

  async stop(): Promise<void> {
    for (const database of this.made) await query(this.url, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
    await this.release();
  }
}

/** One statement on a connection of its own. */
export async function query<Row extends QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@agentrelay/embedded-postgres';
import { DataSource } from 'typeorm';
import { migrate } from '../apps/relay/src/database';
import { dataSourceOptions } from '../apps/relay/src/database/data-source-options';
import { allEntities } from '../apps/relay/src/entities';

/** Fails when the migrated schema is not what the entities say: somebody changed one without the other. */
async function main(): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'agentrelay-schema-'));
  const server = await startEmbeddedPostgres({ directory, durable: false });
  const dataSource = new DataSource(dataSourceOptions({ url: server.url, poolSize: 1, entities: allEntities }));
  try {
    await migrate(server.url);
    await dataSource.initialize();
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    for (const { query } of upQueries) process.stderr.write(`The schema drifts from the entities: ${query}\n`);
    return upQueries.length === 0 ? 0 : 1;
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  },
);

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrate } from '../../apps/relay/src/database/migrator';
import { ERRORS } from '../../libs/protocol/src/errors';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../libs/embedded-postgres/src';
import { TEMPLATE_DATABASE } from '../../libs/testing/src/test-database';

declare global {
  var testCluster: { server: EmbeddedPostgres | undefined; directory: string };
}

/** One cluster for the run, with one migrated template that every worker's database is copied from. */
export default async function globalSetup(): Promise<void> {
  const given = process.env['TEST_DATABASE_URL'];
  const directory = mkdtempSync(join(tmpdir(), 'agentrelay-test-'));
  process.env['AGENTRELAY_TEST_SYMBOLS'] = join(directory, 'symbols');
  process.env['AGENTRELAY_ERROR_SYMBOLS'] = Object.keys(ERRORS).join(' ');
  const server = given ? undefined : await startEmbeddedPostgres({ directory, durable: false });
  const url = server?.url ?? given;
  if (url === undefined) throw new Error('There is no database for the tests.');
  globalThis.testCluster = { server, directory };
  process.env['AGENTRELAY_TEST_CLUSTER'] = url;
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ datname: string }>(
    `SELECT datname FROM pg_database WHERE datname LIKE 'agentrelay\\_test\\_%'`,
  );
  for (const { datname } of rows) await client.query(`DROP DATABASE "${datname}" WITH (FORCE)`);
  await client.query(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await client.end();
  const template = new URL(url);
  template.pathname = `/${TEMPLATE_DATABASE}`;
  await migrate(template.href);
}

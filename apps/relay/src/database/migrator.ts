import { setTimeout } from 'node:timers/promises';
import { DataSource, type QueryRunner } from 'typeorm';
import { GuardedClient } from './guarded-client';
import { MIGRATIONS } from './migrations';

/** Any number that no other program takes advisory locks on in this database. */
const MIGRATION_LOCK = 4_702_111_234;

/** A migration that cannot get its table lock in this time fails instead of queueing every request behind it. */
const LOCK_TIMEOUT_MS = 10_000;

/** How soon to ask again. Waiting inside the database would hold a snapshot, which an index built concurrently waits for. */
const LOCK_RETRY_MS = 100;

async function tryLock(runner: QueryRunner): Promise<boolean> {
  const [row] = (await runner.query('SELECT pg_try_advisory_lock($1) AS locked', [MIGRATION_LOCK])) as {
    locked: boolean;
  }[];
  return row?.locked === true;
}

/**
 * Applies pending migrations, each in its own transaction unless it cannot be, and returns their names. Any number of
 * processes may call it at once: one works, the others wait for it and find nothing to do.
 */
export async function migrate(url: string): Promise<string[]> {
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    migrations: [...MIGRATIONS],
    migrationsTransactionMode: 'each',
    applicationName: 'agentrelay-migrate',
    extra: { Client: GuardedClient, lock_timeout: LOCK_TIMEOUT_MS },
  });
  await dataSource.initialize();
  const lock = dataSource.createQueryRunner();
  try {
    while (!(await tryLock(lock))) await setTimeout(LOCK_RETRY_MS);
    const applied = await dataSource.runMigrations();
    return applied.map(({ name }) => name);
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).finally(() => lock.release());
    await dataSource.destroy();
  }
}

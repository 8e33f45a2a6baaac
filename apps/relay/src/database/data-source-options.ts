import type { Client } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { GuardedClient } from './guarded-client';
import { onOwnConnection } from './database-errors';
import { MIGRATIONS } from './migrations';

export const CONNECT_TIMEOUT_MS = 5_000;
/** How much longer than the database's own limit to wait for its word that it gave up, before the connection counts as dead. */
const ANSWER_MARGIN_MS = 2_000;

export interface PoolOptions {
  url: string;
  poolSize: number;
  /** Statements that take longer are given up, and answered with `unavailable`. */
  statementTimeoutMs?: number;
  /** Whether a pooler may stand in between that lends connections for a transaction: it takes no settings of a session. */
  pooled?: boolean;
  entities?: DataSourceOptions['entities'];
}

/** For statements outside any transaction, whatever the database's default is; through a pooler each has a transaction. */
const READ_COMMITTED = 'SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED';

/** Options of a pool of database connections, each of which `admit` has to let pass. */
export function dataSourceOptions(
  { url, poolSize, statementTimeoutMs, pooled = false, entities = [] }: PoolOptions,
  admit: (client: Client) => Promise<void> = () => Promise.resolve(),
): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    entities,
    migrations: [...MIGRATIONS],
    applicationName: 'agentrelay',
    poolSize,
    extra: {
      Client: GuardedClient,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      verify: (client: Client, done: (error?: unknown) => void) => {
        const looked = onOwnConnection(async () => {
          if (!pooled) await client.query(READ_COMMITTED);
          await admit(client);
        });
        looked.then(() => done(), done);
      },
      ...(statementTimeoutMs !== undefined && {
        query_timeout: statementTimeoutMs + ANSWER_MARGIN_MS,
        ...(!pooled && {
          statement_timeout: statementTimeoutMs,
          idle_in_transaction_session_timeout: statementTimeoutMs,
        }),
      }),
    },
  };
}

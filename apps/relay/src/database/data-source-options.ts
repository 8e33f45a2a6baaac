import type { DataSourceOptions } from 'typeorm';
import { MIGRATIONS } from './migrations';

/** Statements longer than this are cancelled and answered with `unavailable` (wire.md, "Limits"). */
const STATEMENT_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** Options of the pool that serves requests. */
export function dataSourceOptions(
  url: string,
  poolSize: number,
  entities: DataSourceOptions['entities'],
): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    entities: entities ?? [],
    migrations: [...MIGRATIONS],
    applicationName: 'agentrelay',
    poolSize,
    extra: {
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    },
  };
}

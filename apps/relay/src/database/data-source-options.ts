import type { DataSourceOptions } from 'typeorm';
import { MIGRATIONS } from './migrations';

const CONNECT_TIMEOUT_MS = 5_000;

export interface PoolOptions {
  url: string;
  poolSize: number;
  /** Statements that take longer are given up, and answered with `unavailable`. */
  statementTimeoutMs?: number;
  entities?: DataSourceOptions['entities'];
}

/** Options of a pool of database connections. */
export function dataSourceOptions({
  url,
  poolSize,
  statementTimeoutMs,
  entities = [],
}: PoolOptions): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    entities,
    migrations: [...MIGRATIONS],
    applicationName: 'agentrelay',
    poolSize,
    extra: {
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      ...(statementTimeoutMs !== undefined && {
        statement_timeout: statementTimeoutMs,
        idle_in_transaction_session_timeout: statementTimeoutMs,
      }),
    },
  };
}

import { query } from './cluster';

/** Statements that PostgreSQL counted, and how often each was executed. */
export interface Counted {
  text: string;
  calls: number;
}

/** Counts what reaches a database, told by the database itself (pg_stat_statements). */
export class StatementCounter {
  private constructor(private readonly url: string) {}

  /** @throws Error when the server does not have the extension loaded */
  static async on(url: string): Promise<StatementCounter> {
    await query(url, 'CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
    await query(url, 'SELECT FROM pg_stat_statements LIMIT 1').catch((cause: unknown) => {
      throw new Error('Counting statements needs a server with shared_preload_libraries = pg_stat_statements.', {
        cause,
      });
    });
    return new StatementCounter(url);
  }

  /** Everything that this database was asked while `work` ran, `BEGIN` and `COMMIT` included. */
  async during(work: () => Promise<void>): Promise<Counted[]> {
    await query(this.url, `SELECT pg_stat_statements_reset(0, ${THIS_DATABASE}, 0)`);
    await work();
    return query<{ text: string; calls: number } & Counted>(
      this.url,
      `SELECT query AS text, sum(calls)::integer AS calls FROM pg_stat_statements
       WHERE dbid = ${THIS_DATABASE} AND query NOT LIKE '%pg_stat_statements%' GROUP BY query ORDER BY 2 DESC`,
    );
  }
}

const THIS_DATABASE = '(SELECT oid FROM pg_database WHERE datname = current_database())';

/**
 * Not on a request's path: who a key belongs to is cached for 900 ms, other replicas are told at most every 20 ms, and the
 * connection that listens is asked every 5 s whether it lives.
 */
const BESIDE = [/\bFROM api_keys\b/, /^\s*UPDATE api_keys\b/, /\bpg_notify\b/, /^SELECT$/];

export function onThePath(counted: readonly Counted[]): Counted[] {
  return counted.filter(({ text }) => !BESIDE.some((pattern) => pattern.test(text)));
}

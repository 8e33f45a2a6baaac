import { Client, DatabaseError } from 'pg';
import { NAME } from './cluster';
import { EmbeddedPostgresError } from './errors';

/** What a server answers: `ready` with its settings; `busy` while it starts or shuts down; `silent` when not at all. */
type Answer = { state: 'ready'; durable: boolean } | { state: 'busy' } | { state: 'silent' };

const CONNECT_LIMIT_MS = 2_000;
const QUERY_LIMIT_MS = 10_000;
/** SQLSTATE codes, see "PostgreSQL Error Codes" in its manual. */
const CANNOT_CONNECT_NOW = '57P03';
const ADMIN_SHUTDOWN = '57P01';
const DATABASE_EXISTS = '42P04';
const WRONG_PASSWORD = '28P01';

/**
 * Asks the server on 127.0.0.1:`port`, and creates our database when the server is ready but does not have it yet.
 * Rejects with EmbeddedPostgresError when the server answers but refuses us for good.
 */
export async function ask(port: number, password: string): Promise<Answer> {
  try {
    return { state: 'ready', durable: await isDurable(port, password) };
  } catch (error) {
    if (!(error instanceof DatabaseError)) return { state: 'silent' };
    if (error.code === CANNOT_CONNECT_NOW || error.code === ADMIN_SHUTDOWN) return { state: 'busy' };
    const hint =
      error.code === WRONG_PASSWORD
        ? 'The stored password is not that of the database: restore the file "password", or remove the folder.'
        : 'Stop the programs that use this database and start again.';
    throw new EmbeddedPostgresError(`PostgreSQL on port ${port} refuses the connection: ${error.message}. ${hint}`, {
      cause: error,
    });
  }
}

/** The URL for clients; the password consists of hexadecimal digits, so nothing needs escaping. */
export function urlOf(port: number, password: string): string {
  return `postgres://${NAME}:${password}@127.0.0.1:${port}/${NAME}`;
}

async function isDurable(port: number, password: string): Promise<boolean> {
  const [found, fsync] = await query(
    port,
    password,
    `SELECT (SELECT datname FROM pg_database WHERE datname = '${NAME}'), current_setting('fsync')`,
  );
  if (found === null) {
    await query(port, password, `CREATE DATABASE ${NAME}`).catch((error: unknown) => {
      if (!(error instanceof DatabaseError) || error.code !== DATABASE_EXISTS) throw error;
    });
  }
  return fsync === 'on';
}

/** The first row of the result. */
async function query(port: number, password: string, sql: string): Promise<unknown[]> {
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: NAME,
    password,
    database: 'postgres',
    ssl: false,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    query_timeout: QUERY_LIMIT_MS,
  });
  // A server that goes away between two steps shows in the step's own rejection.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const result = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
    return result.rows[0] ?? [];
  } finally {
    await client.end().catch(() => undefined);
  }
}

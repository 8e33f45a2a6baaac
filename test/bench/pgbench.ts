import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Sql } from 'sql-template-tag';

const run = promisify(execFile);

/** Whether pgbench is installed. Without it there are no floors, and nothing held against one is judged. */
export async function hasPgbench(): Promise<boolean> {
  return run('pgbench', ['--version']).then(
    () => true,
    () => false,
  );
}

/**
 * The floor: how often a second so many clients get one statement through the same PostgreSQL when nothing but pgbench stands before
 * it. The statement is the relay's own, with the values of one call; it is prepared, as the relay's is, and its values travel
 * with every execution. `fresh` puts an SQL expression in place of a value that must differ each time; in it `:client_id` counts
 * the clients from 0.
 */
export async function pgbenchRate(
  databaseUrl: string,
  statement: Sql,
  { clients, ms, fresh = new Map() }: { clients: number; ms: number; fresh?: ReadonlyMap<unknown, string> },
): Promise<number> {
  const variables: string[] = [];
  const text = statement.text.replace(/\$(\d+)\b/g, (_, number: string) => {
    const value = statement.values[Number(number) - 1];
    const expression = fresh.get(value);
    if (expression !== undefined) return expression;
    if (value === null) return 'NULL';
    variables.push('-D', `v${number}=${asText(value)}`);
    return `:v${number}`;
  });
  const folder = mkdtempSync(join(tmpdir(), 'agentrelay-pgbench-'));
  try {
    const script = join(folder, 'script.sql');
    writeFileSync(script, `${text};\n`);
    const seconds = Math.max(1, Math.round(ms / 1_000));
    const { stdout } = await run(
      'pgbench',
      ['-n', '-M', 'prepared', '-f', script, '-c', String(clients), '-j', '1', '-T', String(seconds), ...variables],
      { env: { ...process.env, ...connectionOf(databaseUrl) }, maxBuffer: 16 * 1024 * 1024 },
    );
    const rate = /^tps = ([\d.]+)/m.exec(stdout)?.[1];
    if (rate === undefined) throw new Error(`pgbench told no rate:\n${stdout}`);
    return Number(rate);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function asText(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  return String(value);
}

/** The connection in variables: a password on a command line could be seen by others. */
function connectionOf(databaseUrl: string): Record<string, string> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  return {
    PGHOST: hostname,
    PGPORT: port || '5432',
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: pathname.slice(1),
  };
}

import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { Cluster, query } from './cluster';
import type { Context } from './context';
import { type BenchOptions, type Part, readOptions } from './options';
import { accept } from './parts/accept';
import { get } from './parts/get';
import { growth } from './parts/growth';
import { latency } from './parts/latency';
import { list } from './parts/list';
import { cli } from './parts/cli';
import { mcp } from './parts/mcp';
import { send } from './parts/send';
import { start } from './parts/start';
import { statements } from './parts/statements';
import { waiters } from './parts/waiters';
import { hasPgbench } from './pgbench';
import { exactly, judged, printed, type Row } from './table';

const MEASURES: Record<Part, (context: Context) => Promise<Row[]>> = {
  send,
  list,
  get,
  statements,
  accept,
  latency,
  waiters,
  start,
  mcp,
  cli,
  growth,
};

/** `npm run bench`: measures what quality is promised in numbers, and prints one table (docs/performance.md). */
async function main(options: BenchOptions): Promise<void> {
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  const cluster = options.other === undefined ? await Cluster.start(options.directory) : undefined;
  try {
    const pgbench = await hasPgbench();
    if (cluster !== undefined && !pgbench) {
      say(
        'pgbench is missing (Debian: postgresql-client or postgresql-contrib): there are no floors, and no verdicts that need one.',
      );
    }
    const [load = 0] = loadavg();
    if (load > cpus().length / 2) {
      say(
        `This machine is busy (load ${load.toFixed(1)}): floors of 16 clients win against one relay process, ratios read low.`,
      );
    }
    const { rounds, ms } = options.quick ? { rounds: 1, ms: 1_000 } : { rounds: 7, ms: 3_000 };
    const context = { options, cluster, hasPgbench: pgbench, rounds, ms, say };
    const rows: Row[] = [];
    for (const part of options.parts) {
      say(`── ${part}`);
      rows.push(...(await measured(part, context)));
    }
    process.stdout.write(`${printed(rows)}\n`);
    if (options.json !== undefined) {
      const setting = await settingOf(cluster, options);
      writeFileSync(options.json, `${JSON.stringify({ ...setting, load, rows }, null, 2)}\n`);
    }
  } finally {
    await cluster?.stop();
  }
}

/** A part that fails is told in its place: the others are worth their time all the same. */
async function measured(part: Part, context: Context): Promise<Row[]> {
  try {
    return await MEASURES[part](context);
  } catch (error) {
    context.say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = 1;
    return [judged(part, { measured: 'failed, see above', value: Number.NaN }, exactly(0, '–'))];
  }
}

/** What a table says nothing of but depends on. */
async function settingOf(cluster: Cluster | undefined, { quick, other }: BenchOptions): Promise<object> {
  const [database] =
    cluster === undefined ? [] : await query<{ version: string }>(cluster.urlOf('postgres'), 'SHOW server_version');
  return {
    at: new Date().toISOString(),
    relay: other?.url ?? 'this checkout',
    quick,
    node: process.version,
    cores: cpus().length,
    processor: cpus()[0]?.model,
    postgresql: (database as { server_version?: string } | undefined)?.server_version,
  };
}

main(readOptions(process.argv.slice(2))).then(
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);

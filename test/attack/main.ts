import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DatabaseServer } from '../../libs/testing/src/database-server';
import { query } from '../bench/cluster';
import { printed, type Row } from '../bench/table';
import { Random } from '../chaos/random';
import { AttackedRelay } from './attacked-relay';
import { ATTACKS } from './attacks';
import { BYSTANDER, beBystander, Bystander } from './bystander';
import { carryOut } from './campaign';
import { judge, type Violation } from './checker';
import { listRoutes } from './routes';
import type { Attack } from './scene';

interface Options {
  seed: number;
  scale: number;
  attacks: readonly Attack[];
  json: string | undefined;
}

const USAGE = 'Usage: npm run attack -- [--seed N] [--scale 0.1] [--only "name,name"] [--json file] [--list]';
/** Violations of one attack that are told. */
const SHOWN = 8;

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string', default: String(Date.now() % 1e6) },
      scale: { type: 'string', default: '1' },
      only: { type: 'string' },
      json: { type: 'string' },
      list: { type: 'boolean' },
    },
  });
  if (values.list === true) {
    for (const { name } of ATTACKS) process.stdout.write(`${name}\n`);
    process.exit();
  }
  const wanted = values.only?.split(',').map((name) => name.trim()) ?? ATTACKS.map(({ name }) => name);
  const unknown = wanted.filter((name) => !ATTACKS.some((attack) => attack.name === name));
  const [seed, scale] = [Number(values.seed), Number(values.scale)];
  if (unknown.length > 0) throw new Error(`There is no attack “${unknown.join('”, “')}”; --list tells them.`);
  if (!Number.isSafeInteger(seed) || !(scale > 0 && scale <= 1)) throw new Error(USAGE);
  return { seed, scale, attacks: ATTACKS.filter(({ name }) => wanted.includes(name)), json: values.json };
}

/** Attacks a built relay in every way we know, and holds what happens against the rules (docs/security.md). */
async function main({ seed, scale, attacks, json }: Options): Promise<boolean> {
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  say(`seed ${seed}, scale ${scale}`);
  const server = await DatabaseServer.start();
  const bystander = Bystander.start();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void endAll(server).then(() => process.exit(1)));
  const rows: Row[] = [];
  const violations: Violation[] = [];
  try {
    const routes = await listRoutes(await emptyDatabase(server.url, 'attack_routes'));
    for (const [n, attack] of attacks.entries()) {
      const since = Date.now();
      say(`── ${attack.name}`);
      const databaseUrl = await emptyDatabase(server.url, `attack_${n}`);
      const random = new Random(seed);
      const evidence = await carryOut(attack, { databaseUrl, routes, random, seed, scale, bystander, say });
      const command = `npm run attack -- --seed ${seed} --scale ${scale} --only "${attack.name}"`;
      const judgement = judge(evidence, command);
      rows.push(...judgement.rows);
      violations.push(...judgement.violations);
      say(
        `   ${Math.round((Date.now() - since) / 1_000)} s, peak ${Math.round(evidence.peakMiB)} MiB, ${judgement.violations.length} violations`,
      );
    }
  } finally {
    bystander.stop();
    await server.stop();
  }
  tell(rows, violations, { seed, scale });
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ seed, scale, rows, violations }, null, 2)}\n`);
  return violations.length === 0;
}

function tell(rows: Row[], violations: Violation[], { seed, scale }: { seed: number; scale: number }): void {
  process.stdout.write(
    `Attacks with seed ${seed} at scale ${scale}\n${printed(rows, ['work', 'measured', 'budget', 'verdict'])}\n`,
  );
  process.stdout.write(violations.length === 0 ? 'No rule was broken.\n' : `${violations.length} violations:\n`);
  const told = new Map<string, number>();
  for (const { attack, what, reproduction } of violations) {
    const count = (told.get(attack) ?? 0) + 1;
    told.set(attack, count);
    if (count <= SHOWN) process.stdout.write(`- ${attack}: ${what}\n  again: ${reproduction}\n`);
  }
}

/** Whoever is interrupted leaves nothing behind. */
async function endAll(server: DatabaseServer): Promise<void> {
  await AttackedRelay.stopAll();
  await server.stop();
}

async function emptyDatabase(url: string, name: string): Promise<string> {
  await query(url, `CREATE DATABASE ${name} TEMPLATE template0`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
}

if (process.argv[2] === BYSTANDER) beBystander();
else {
  Promise.resolve()
    .then(() => main(readOptions(process.argv.slice(2))))
    .then(
      (ok) => process.exit(ok ? 0 : 1),
      (error: unknown) => {
        process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
        process.exit(1);
      },
    );
}

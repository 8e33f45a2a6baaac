import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { WireEvents } from '@agentrelay/protocol';
import { DatabaseServer } from '../../libs/testing/src/database-server';
import { registerAgent } from '../../libs/testing/src/register-agent';
import { check } from './checker';
import { Client } from './client';
import { outlived } from './credentials';
import { DeltaReader, unseen } from './deltas';
import { Schedule, strike, type World } from './faults';
import { History } from './history';
import { Leavers } from './leavers';
import { Load } from './load';
import { Ageing, copyLog } from './log-copy';
import { Operator } from './operator';
import { Random } from './random';
import { PollingReader, type Reader, StreamReader } from './readers';
import { Replica } from './replica';
import { type Findings, passed, type Recovery, summary, tell } from './report';
import { readStored } from './stored';

const AGENTS = 5;
const WORKERS = 6;
/** Agents that come and go, at a time. */
const LEAVERS = 2;
/** How long a replica that nobody killed may take to get ready again by itself. */
const RECOVERY_LIMIT_MS = 30_000;
/** How long readers may take to reach the end of the log when all is well again. */
const CATCH_UP_LIMIT_MS = 60_000;
const SHOWN_LINES = 40;

const ADMIN_TOKEN = 'chaos-admin-token-of-at-least-32-characters';

/** Settings as in production; only the rate is lifted, because the load comes from few keys. */
const SETTINGS = {
  RELAY_ENV: 'production',
  RELAY_PUBLIC_URL: 'https://relay.acme.dev',
  RELAY_KEY_PEPPERS: 'p1:k9Zf2Lw7Qm4Xv8Tr1Bn6Hs3Jd5Gc0Yp+',
  RELAY_ADMIN_TOKEN: ADMIN_TOKEN,
  RELAY_RATE_PER_MINUTE: '1000000',
  RELAY_RATE_BURST: '1000000',
  RELAY_FAILED_AUTH_PER_MINUTE: '1000000',
  RELAY_RETENTION_EVENTS_DAYS: '1',
  RELAY_RETENTION_UNREAD_EVENTS_DAYS: '0',
  RELAY_SHUTDOWN_DELAY_MS: '200',
  RELAY_EXTENSIONS: resolve('test/chaos/signals.js'),
  LOG_LEVEL: 'fatal',
};

function say(line: string): void {
  process.stdout.write(`${new Date().toISOString()} ${line}\n`);
}

/** Two replicas under load and faults for a while; then everything that clients were told is held against the database. */
async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(Date.now() % 1e9) },
    },
  });
  const minutes = Number(values.minutes);
  const seed = Number(values.seed);
  if (!(minutes > 0) || !Number.isSafeInteger(seed))
    throw new Error('Usage: npm run chaos -- [--minutes N] [--seed N]');
  const folder = mkdtempSync(join(tmpdir(), 'agentrelay-chaos-'));
  const history = new History(join(folder, 'history.jsonl'));
  say(`seed ${seed}, ${minutes} minutes; history in ${history.path}`);

  const server = await DatabaseServer.start();
  const world = {
    server,
    replicas: [await Replica.start('A', server.url, SETTINGS), await Replica.start('B', server.url, SETTINGS)],
    operator: new Operator({ ...SETTINGS, DATABASE_URL: server.url }),
  };
  try {
    await copyLog(server.url);
    const { clients, readers, deltas } = await people(world, seed, history);
    const urls = world.replicas.map(({ clientUrl }) => clientUrl);
    const leavers = new Leavers(server.url, urls, ADMIN_TOKEN, clients, new Random(seed + 2), LEAVERS);
    const ageing = new Ageing(server.url);
    const load = new Load(clients, new Random(seed + 1), WORKERS);
    const recoveries = await faultsFor(minutes * 60_000, world, new Random(seed), history);
    say('all is well again; draining');
    await Promise.all([load.stop(), leavers.stop(), ageing.stop()]);
    await caughtUp(server.url, readers);
    await Promise.all([...readers, ...deltas].map((reader) => reader.stop()));
    await history.close();
    const { stored, impossible, signals, removed, epoch } = await readStored(server.url);
    const logs = readers.map(({ log }) => log);
    const misdeeds = [
      ...world.replicas.flatMap((replica) => replica.misdeeds),
      ...world.operator.misdeeds,
      ...recoveries
        .filter(({ ms }) => ms >= RECOVERY_LIMIT_MS)
        .map(
          ({ faults }) =>
            `After “${faults.join('” and “')}” the replicas were not ready within ${RECOVERY_LIMIT_MS} ms.`,
        ),
    ];
    const checks = check(history.operations, stored, logs);
    const findings: Findings = {
      seed,
      minutes,
      recoveries,
      misdeeds,
      impossible,
      signals,
      maintenance: {
        'events removed by retention': removed,
        'epochs raised': epoch - 1,
        'cursors expired': logs.reduce((sum, { expired }) => sum + expired, 0),
        'threads followed by as_of': deltas.reduce((sum, { log }) => sum + log.moved.size, 0),
        keys: leavers.keys.length,
        'calls with them': leavers.keys.reduce((sum, { uses }) => sum + uses.length, 0),
        'refusals of them': leavers.keys.reduce((sum, { refusals }) => sum + refusals, 0),
      },
      checked: checks.checked,
      violations: [
        ...checks.violations,
        ...deltas.flatMap(({ log }) => unseen(log, stored.handoffs)),
        ...leavers.keys.flatMap(outlived),
      ],
    };
    const summed = summary(findings, history);
    writeFileSync(join(folder, 'report.json'), `${JSON.stringify(summed, null, 2)}\n`);
    process.stdout.write(`${tell(summed)}\n`);
    showLines(history.path, findings);
    return passed(summed);
  } finally {
    await Promise.all(world.replicas.map((replica) => replica.stop()));
    await server.stop();
  }
}

async function people(
  { replicas }: World,
  seed: number,
  history: History,
): Promise<{ clients: Client[]; readers: Reader[]; deltas: DeltaReader[] }> {
  const urls = replicas.map(({ clientUrl }) => clientUrl);
  const clients: Client[] = [];
  const readers: Reader[] = [];
  for (let i = 0; i < AGENTS; i++) {
    const random = new Random(seed + 100 + i);
    const agent = await registerAgent(urls[0] ?? '', ADMIN_TOKEN, `agent${i}@acme`);
    const client = new Client(agent.handle, agent.apiKey, urls, history, random);
    const { cursor } = await agent.call<WireEvents>('events/list', { cursor: 'now' });
    clients.push(client);
    readers.push(
      new PollingReader(client, cursor, history, random, i % 2 === 0),
      new StreamReader(client, cursor, history, random),
    );
  }
  const deltas = clients.map((client) => new DeltaReader(client));
  for (const reader of [...readers, ...deltas]) reader.follow();
  return { clients, readers, deltas };
}

/** One fault after the other, each followed by a wait until both replicas are ready, and some peace. */
async function faultsFor(ms: number, world: World, random: Random, history: History): Promise<Recovery[]> {
  const schedule = new Schedule(random);
  const recoveries: Recovery[] = [];
  for (const end = Date.now() + ms; Date.now() < end;) {
    await pause(random.between(1_000, 6_000));
    const faults = schedule.next();
    history.line({ event: 'fault', faults });
    await Promise.all(faults.map((name) => strike(name, world, random)));
    const over = Date.now();
    history.line({ event: 'over', faults });
    const ready = async (): Promise<boolean> =>
      (await Promise.all(world.replicas.map((replica) => replica.ready()))).every(Boolean);
    while (Date.now() - over < RECOVERY_LIMIT_MS && !(await ready())) await pause(50);
    recoveries.push({ faults, ms: Date.now() - over });
    say(`${faults.join(' + ')}: ready after ${Date.now() - over} ms; ${history.operations.length} operations so far`);
  }
  return recoveries;
}

/** Waits until every reader has what is last for it, and the subscriber was told of everything; what never comes is for the checks to tell. */
async function caughtUp(url: string, readers: readonly Reader[]): Promise<void> {
  const { stored } = await readStored(url);
  const isLast = (reader: Reader): boolean => {
    const { agent, includesOwn } = reader.log;
    const mine = stored.events.findLast(
      ({ sender, recipient, actor }) => (sender === agent || recipient === agent) && (includesOwn || actor !== agent),
    );
    return mine?.id === reader.last;
  };
  const isSignalled = async (): Promise<boolean> =>
    (await readStored(url)).impossible.every(({ what }) => !what.startsWith('signal'));
  const end = Date.now() + CATCH_UP_LIMIT_MS;
  while (Date.now() < end && !(readers.every(isLast) && (await isSignalled()))) await pause(100);
}

/** The lines of the history that the violations speak of. */
function showLines(path: string, { violations }: Findings): void {
  const operations = new Set(violations.flatMap((violation) => violation.operations));
  if (operations.size === 0) return;
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => operations.has(Number(/"op":(\d+)/.exec(line)?.[1])));
  process.stdout.write(`${lines.slice(0, SHOWN_LINES).join('\n')}\n`);
}

main().then(
  (ok) => process.exit(ok ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);

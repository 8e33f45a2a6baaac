import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { DatabaseServer } from '../../libs/testing/src/database-server';
import type { Operator } from './operator';
import type { Random } from './random';
import type { Replica } from './replica';

/** What a fault can strike. */
export interface World {
  server: DatabaseServer;
  replicas: readonly Replica[];
  operator: Operator;
}

/** Something that goes wrong, and is over when the promise resolves. */
type FaultOf<Target> = (target: Target, random: Random) => Promise<void>;

const seconds = (random: Random, low: number, high: number): Promise<void> =>
  pause(random.between(low * 1_000, high * 1_000));

const REPLICA_FAULTS: Record<string, FaultOf<Replica>> = {
  'kill a replica': async (replica) => {
    await replica.kill();
    await replica.bringUp();
  },
  'terminate a replica': async (replica) => {
    await replica.terminate();
    await replica.bringUp();
  },
  'freeze a replica': async (replica, random) => {
    replica.freeze();
    await seconds(random, 1, 14);
    replica.thaw();
  },
  'cut the clients of a replica': (replica) => {
    replica.clientSide.cut();
    return Promise.resolve();
  },
  'silence the clients of a replica': async (replica, random) => {
    replica.clientSide.silence();
    await seconds(random, 1, 5);
    replica.clientSide.resume();
  },
  'cut a replica from the database': (replica) => {
    replica.databaseSide.cut();
    return Promise.resolve();
  },
  'silence a replica’s database': async (replica, random) => {
    replica.databaseSide.silence();
    await seconds(random, 1, 15);
    replica.databaseSide.resume();
  },
  'forget a replica’s database connections': (replica) => {
    replica.databaseSide.strand();
    return Promise.resolve();
  },
};

const DATABASE_FAULTS: Record<string, FaultOf<DatabaseServer>> = {
  'crash the database': async (server, random) => {
    await server.crash();
    await seconds(random, 0, 3);
    await server.restart();
  },
  'kill a database backend': killBackend,
};

const LOG_FAULTS: Record<string, FaultOf<Operator>> = {
  'raise the epoch of the log': (operator) => operator.raiseEpoch(),
};

const FAULT_NAMES = [REPLICA_FAULTS, DATABASE_FAULTS, LOG_FAULTS].flatMap((faults) => Object.keys(faults));

/** Lets the named fault happen. */
export function strike(name: string, { server, replicas, operator }: World, random: Random): Promise<void> {
  const database = DATABASE_FAULTS[name];
  if (database !== undefined) return database(server, random);
  const log = LOG_FAULTS[name];
  if (log !== undefined) return log(operator, random);
  return REPLICA_FAULTS[name]?.(random.pick(replicas), random) ?? Promise.resolve();
}

/** The next faults: mostly one, sometimes the database’s together with a replica’s; each kind in turn, in random order. */
export class Schedule {
  private coming: string[] = [];

  constructor(private readonly random: Random) {}

  next(): string[] {
    const first = this.take();
    if (!this.random.chance(0.25)) return [first];
    const others = Object.keys(first in DATABASE_FAULTS ? REPLICA_FAULTS : DATABASE_FAULTS);
    return [first, this.random.pick(others)];
  }

  private take(): string {
    if (this.coming.length === 0) {
      this.coming = FAULT_NAMES.map((name) => ({ name, place: this.random.next() }))
        .sort((a, b) => a.place - b.place)
        .map(({ name }) => name);
    }
    return this.coming.pop() ?? '';
  }
}

/** PostgreSQL takes the violent end of one backend for a crash, ends all others, and recovers by itself. */
async function killBackend(server: DatabaseServer, random: Random): Promise<void> {
  const client = new Client({ connectionString: server.url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'agentrelay%' ORDER BY pid`,
    );
    if (rows.length > 0) process.kill(random.pick(rows).pid, 'SIGKILL');
  } catch {
    // Another fault was faster.
  }
  await client.end().catch(() => undefined);
}

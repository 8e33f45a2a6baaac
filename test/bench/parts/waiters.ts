import { residentMiB } from '../../fuzz/resident-memory';
import { query } from '../cluster';
import { clusterOf, type Context } from '../context';
import { startRelay } from '../relay-program';
import { StatementCounter } from '../statement-counter';
import { atMost, judged, type Row, spread } from '../table';
import { type Member, registerTeam } from '../team';
import { openLongPoll, openStream, type OpenWaiter } from '../waiters';

/** As many as one key may hold without a setting. */
const PER_KEY = 10;
/** Waiters are opened in groups of this size. */
const AT_ONCE = 50;
/** An idle connection leaves the relay's pool after 10 s. */
const SETTLE_MS = 12_000;
const WATCH_MS = 20_000;
/** Long polls do not last: they are watched before the first one ends. */
const SHORT_WATCH_MS = 2_000;
/** The longest that a long poll may wait. */
const WAIT_MS = 50_000;
/** In a MiB. */
const KIB = 1_024;

/** Idle waiters on one replica: what each costs in memory, and what all of them hold of the database. */
export async function waiters(context: Context): Promise<Row[]> {
  const count = context.options.quick ? 500 : 5_000;
  const database = await clusterOf(context).fresh('agentrelay_bench_waiters');
  const first = await startRelay(database);
  const team = await registerTeam(first.url, count / PER_KEY);
  await first.stop();
  const counter = await StatementCounter.on(database);
  return [
    ...(await idle(context, 'streams', { database, team, counter, count })),
    ...(await idle(context, 'long polls', { database, team, counter, count })),
  ];
}

interface Scene {
  database: string;
  team: Member[];
  counter: StatementCounter;
  count: number;
}

async function idle(context: Context, kind: 'streams' | 'long polls', scene: Scene): Promise<Row[]> {
  const { database, team, counter, count } = scene;
  const relay = await startRelay(database);
  let ended = 0;
  const open = ({ apiKey }: Member): Promise<OpenWaiter> =>
    kind === 'streams' ? openStream(relay.url, apiKey) : openLongPoll(relay.url, apiKey, WAIT_MS, () => ended++);
  // One of each team member first: what a relay learns once is not what a waiter costs.
  for (const member of team) (await openStream(relay.url, member.apiKey)).close();
  const before = residentMiB(relay.pid);
  const opened: OpenWaiter[] = [];
  while (opened.length < count) {
    const group = Array.from({ length: AT_ONCE }, (_, i) => team[Math.floor((opened.length + i) / PER_KEY)]!);
    opened.push(...(await Promise.all(group.map(open))));
  }
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const perWaiter = ((residentMiB(relay.pid) - before) * KIB) / count;
  const held: { connections: number }[] = [];
  const watchMs = context.options.quick || kind === 'long polls' ? SHORT_WATCH_MS : WATCH_MS;
  const counted = await counter.during(async () => {
    for (const end = Date.now() + watchMs; Date.now() < end;) {
      held.push(...(await query<{ connections: number }>(database, CONNECTIONS)));
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  });
  const statements = counted.reduce((sum, { text, calls }) => sum + (text.includes('pg_stat_activity') ? 0 : calls), 0);
  const endedEarly = ended;
  for (const waiter of opened) waiter.close();
  await relay.stop();
  const { middle: usual, most } = spread(held.map(({ connections }) => connections));
  const work = `${count} idle ${kind}`;
  context.say(
    `${work}: ${perWaiter.toFixed(1)} KB each, ${usual} connections (at most ${most}), ${statements} statements in ${watchMs / 1_000} s`,
  );
  if (endedEarly > 0)
    return [
      judged(work, { measured: `${endedEarly} ended before all stood: this machine is too busy`, value: undefined }),
    ];
  return [
    judged(
      `${work}: memory of each`,
      { measured: `${perWaiter.toFixed(1)} KB`, value: perWaiter },
      atMost(40, '40 KB'),
    ),
    judged(
      `${work}: database connections of the relay`,
      {
        measured: `${usual}, at most ${most}; ${((statements * 1_000) / watchMs).toFixed(0)} statements/s`,
        value: usual,
      },
      atMost(IDLE_CONNECTIONS, `${IDLE_CONNECTIONS}, however many wait`),
    ),
  ];
}

/** What one waiter needs as well as thousands: a connection that listens, one that polls, and for a moment others for maintenance. */
const IDLE_CONNECTIONS = 5;

const CONNECTIONS = `SELECT count(*)::integer AS connections FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'agentrelay%'`;

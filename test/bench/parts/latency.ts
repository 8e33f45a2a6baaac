import { clusterOf, type Context } from '../context';
import { Caller } from '../load';
import { type ServerProgram, startRelay } from '../relay-program';
import { atMost, judged, percentile, type Row } from '../table';
import { type Member, registerTeam } from '../team';
import { openStream } from '../waiters';

/** A database address that nobody answers on: the replica has no connection to LISTEN on, and polls. */
const NOWHERE = 'postgres://nobody@127.0.0.1:1/none';
/** Migrations would use that address; the first replica has applied them. */
const WITHOUT_LISTEN = { RELAY_MIGRATE_ON_START: 'false', DATABASE_DIRECT_URL: NOWHERE };
const ARRIVAL_LIMIT_MS = 10_000;
const POLL_MS = 2_000;

/** From asking replica A for a handoff until who waits on replica B has its event. */
export async function latency(context: Context): Promise<Row[]> {
  const database = await clusterOf(context).fresh('agentrelay_bench_latency');
  const writing = await startRelay(database);
  const [sender, recipient] = await registerTeam(writing.url, 2);
  if (sender === undefined || recipient === undefined) throw new Error('Waiting needs two agents.');
  const rows: Row[] = [];
  for (const listens of [true, false]) {
    const waiting = await startRelay(database, listens ? {} : WITHOUT_LISTEN);
    const count = context.options.quick ? 10 : listens ? 60 : 40;
    const budget = listens ? atMost(300, 'p95 300 ms') : atMost(2_000, 'p95 2 s');
    for (const kind of ['stream', 'long poll'] as const) {
      const taken = await arrivals(kind, { writing, waiting, sender, recipient, count });
      const [p50, p95] = [percentile(taken, 0.5), percentile(taken, 0.95)];
      const work = `event on A → ${kind} on B, ${listens ? 'with' : 'without'} LISTEN`;
      rows.push(judged(work, { measured: `p50 ${p50.toFixed(0)}, p95 ${p95.toFixed(0)} ms`, value: p95 }, budget));
      context.say(`${work}: p50 ${p50.toFixed(0)}, p95 ${p95.toFixed(0)} ms of ${count}`);
    }
    await waiting.stop();
  }
  await writing.stop();
  return rows;
}

interface Scene {
  writing: ServerProgram;
  waiting: ServerProgram;
  sender: Member;
  recipient: Member;
  count: number;
}

async function arrivals(kind: 'stream' | 'long poll', scene: Scene): Promise<number[]> {
  const { writing, waiting, sender, recipient, count } = scene;
  const caller = new Caller(writing.url);
  const arrived = new Map<string, number>();
  const stop = await (kind === 'stream' ? watchStream : watchLongPolls)(waiting.url, recipient, (taskId) => {
    arrived.set(taskId, performance.now());
  });
  const taken: number[] = [];
  for (let n = 0; n < count; n++) {
    // At no fixed distance from the replica's own polling.
    await pause(Math.random() * 500);
    const since = performance.now();
    const params = { recipient: recipient.handle, message: { parts: [{ type: 'text', text: 'Look.' }] } };
    const { task_id } = await caller.result<{ task_id: string }>({
      apiKey: sender.apiKey,
      method: 'message/send',
      params,
    });
    while (!arrived.has(task_id)) {
      if (performance.now() - since > ARRIVAL_LIMIT_MS) throw new Error(`An event has not arrived by ${kind}.`);
      await pause(1);
    }
    taken.push((arrived.get(task_id) ?? 0) - since);
  }
  stop();
  caller.close();
  return taken;
}

type Arrived = (taskId: string) => void;

async function watchStream(url: string, { apiKey }: Member, arrived: Arrived): Promise<() => void> {
  const stream = await openStream(url, apiKey, (data) => arrived((JSON.parse(data) as { task_id: string }).task_id));
  return () => stream.close();
}

async function watchLongPolls(url: string, { apiKey }: Member, arrived: Arrived): Promise<() => void> {
  const caller = new Caller(url);
  const stopped = new AbortController();
  const ask = (cursor: string, waitMs: number): Promise<{ events: { task_id: string }[]; cursor: string }> =>
    caller.result({ apiKey, method: 'events/list', params: { cursor, wait_ms: waitMs } });
  const watch = async (cursor: string): Promise<void> => {
    if (stopped.signal.aborted) return caller.close();
    const page = await ask(cursor, POLL_MS);
    for (const event of page.events) arrived(event.task_id);
    return watch(page.cursor);
  };
  const { cursor } = await ask('now', 0);
  void watch(cursor);
  return () => stopped.abort();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

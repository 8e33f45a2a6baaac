import { clusterOf, type Context } from '../context';
import { Caller, rateOf } from '../load';
import { pgbenchRate } from '../pgbench';
import { startRelay } from '../relay-program';
import { threadStatement } from '../relay-statements';
import { seedLongThread } from '../seed';
import { atLeast, judged, percent, type Row, spread } from '../table';
import { registerTeam } from '../team';

const MESSAGES = 400;
const CLIENTS = 16;

/** `tasks/get` of a long thread, beside pgbench asking the same. */
export async function get(context: Context): Promise<Row[]> {
  const { ms, rounds, hasPgbench, say } = context;
  const database = await clusterOf(context).fresh('agentrelay_bench_get');
  const relay = await startRelay(database);
  const [, reader] = await registerTeam(relay.url, 2);
  if (reader === undefined) throw new Error('Reading needs a reader.');
  const threadId = await seedLongThread(database, MESSAGES);
  const caller = new Caller(relay.url);
  const call = { apiKey: reader.apiKey, method: 'tasks/get', params: { task_id: threadId } };
  const { messages } = await caller.result<{ messages: unknown[] }>(call);
  const statement = await threadStatement(reader, threadId);
  const rates: number[] = [];
  const floors: number[] = [];
  for (let round = 0; round < rounds; round++) {
    rates.push(await rateOf(caller, { clients: CLIENTS, ms, next: () => call }));
    if (hasPgbench) floors.push(await pgbenchRate(database, statement, { clients: CLIENTS, ms }));
    say(`get: ${rates.at(-1)?.toFixed(0)}/s, floor ${floors.at(-1)?.toFixed(0) ?? 'none'}/s`);
  }
  caller.close();
  await relay.stop();
  const ratio = floors.length === 0 ? undefined : spread(rates.map((rate, i) => rate / (floors[i] ?? rate)));
  return [
    judged(
      `get, thread of ${messages.length} messages, ${CLIENTS} clients`,
      {
        measured: `${spread(rates).middle.toFixed(0)}/s`,
        ...(ratio && { floor: `${spread(floors).middle.toFixed(0)}/s`, ratio: percent(ratio) }),
        value: ratio?.middle,
      },
      atLeast(0.2, '20 %'),
    ),
  ];
}

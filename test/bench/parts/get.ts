import { clusterOf, type Context } from '../context';
import { besideFloor } from '../beside-floor';
import { Caller } from '../load';
import { pgbenchRate } from '../pgbench';
import { startRelay } from '../relay-program';
import { threadStatement } from '../relay-statements';
import { seedLongThread } from '../seed';
import { atLeast, type Row } from '../table';
import { registerTeam } from '../team';

const MESSAGES = 400;
const CLIENTS = 16;

/** `tasks/get` of a long thread, beside pgbench asking the same. */
export async function get(context: Context): Promise<Row[]> {
  const database = await clusterOf(context).fresh('agentrelay_bench_get');
  const relay = await startRelay(database);
  const [, reader] = await registerTeam(relay.url, 2);
  if (reader === undefined) throw new Error('Reading needs a reader.');
  const threadId = await seedLongThread(database, MESSAGES);
  const caller = new Caller(relay.url);
  const call = { apiKey: reader.apiKey, method: 'tasks/get', params: { task_id: threadId } };
  const { messages } = await caller.result<{ messages: unknown[] }>(call);
  const statement = await threadStatement(reader, threadId);
  const { row } = await besideFloor(context, {
    work: `get, thread of ${messages.length} messages, ${CLIENTS} clients`,
    caller,
    load: { clients: CLIENTS, next: () => call },
    pid: relay.pid,
    floor: context.hasPgbench
      ? () => pgbenchRate(database, statement, { clients: CLIENTS, ms: context.ms })
      : undefined,
    budget: atLeast(0.2, '20 %'),
  });
  caller.close();
  await relay.stop();
  return [row];
}

import { query } from '../cluster';
import { handoffContent, sendParams } from '../content';
import { clusterOf, type Context } from '../context';
import { Caller } from '../load';
import { startRelay } from '../relay-program';
import { atMost, judged, type Row } from '../table';
import { type Member, registerTeam } from '../team';

const KIB = 1_024;
/** Handoffs that live at the same time. */
const AT_ONCE = 8;

/** What the database grows by with each handoff that lived a whole life through the relay, without what people wrote. */
export async function growth(context: Context): Promise<Row[]> {
  const count = context.options.quick ? 100 : 500;
  const database = await clusterOf(context).fresh('agentrelay_bench_growth');
  const relay = await startRelay(database);
  const team = await registerTeam(relay.url, AT_ONCE + 1);
  const caller = new Caller(relay.url);
  const batch = async (name: string, questions: number): Promise<void> => {
    const lives = Array.from({ length: AT_ONCE }, async (_, i) => {
      for (let n = i; n < count; n += AT_ONCE)
        await live(caller, team[i]!, team[i + 1]!, `${name}-${i}-${n}`, questions);
    });
    await Promise.all(lives);
  };
  // As in a database that has been in use for a while: its indexes have more than a root, and autovacuum has been there.
  await batch('earlier', 0);
  const plain = await grownBy(database, count, () => batch('plain', 0));
  const talked = await grownBy(database, count, () => batch('talked', 1));
  caller.close();
  await relay.stop();
  const told = ({ rest, bodies }: Growth): string => `${rest.toFixed(1)} KB + ${bodies.toFixed(1)} KB of bodies`;
  return [
    judged(
      `database growth of each of ${count} handoffs, events included`,
      { measured: told(plain), value: plain.rest },
      atMost(6, '6 KB'),
    ),
    judged('the same with a question and its answer', { measured: told(talked), value: undefined }),
  ];
}

/** KB that each handoff adds to the database: what people wrote, as it is stored, and all the rest. */
interface Growth {
  rest: number;
  bodies: number;
}

async function grownBy(database: string, count: number, work: () => Promise<void>): Promise<Growth> {
  await query(database, 'VACUUM (ANALYZE)');
  const before = await sizeOf(database);
  await work();
  const after = await sizeOf(database);
  const bodies = (after.bodies - before.bodies) / KIB / count;
  return { rest: (after.total - before.total) / KIB / count - bodies, bodies };
}

/** Sent, listed, read, accepted, perhaps discussed, completed and read again, each write under a key. */
async function live(caller: Caller, sender: Member, recipient: Member, key: string, questions: number): Promise<void> {
  const metadata = (step: string): object => ({ metadata: { client_idempotency_key: `${step}-${key}` } });
  const by = <Result>({ apiKey }: Member, method: string, params: object): Promise<Result> =>
    caller.result<Result>({ apiKey, method, params });
  const { task_id } = await by<{ task_id: string }>(
    sender,
    'message/send',
    sendParams(recipient.handle, handoffContent(), `send-${key}`),
  );
  const says = (text: string): object => ({ task_id, message: { parts: [{ type: 'text', text }] }, ...metadata(text) });
  await by(recipient, 'tasks/list', {});
  await by(recipient, 'tasks/get', { task_id });
  await by(recipient, 'tasks/update', { task_id, transition: 'accept', session_id: 'bench', ...metadata('accept') });
  for (let n = 0; n < questions; n++) {
    await by(recipient, 'message/send', says('Which page size do you use by default?'));
    await by(sender, 'tasks/get', { task_id });
    await by(sender, 'message/send', says('50 items, 200 at most.'));
  }
  const result = { transition: 'complete', result_summary: 'The client is adapted.', ...metadata('complete') };
  await by(recipient, 'tasks/update', { task_id, ...result });
  await by(sender, 'tasks/get', { task_id });
}

/** Tables with their indexes and dead rows, and what of it people wrote, as it is stored. */
async function sizeOf(database: string): Promise<{ total: number; bodies: number }> {
  const [size] = await query<{ total: string; bodies: string }>(
    database,
    `SELECT (SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r') AS total,
      (SELECT coalesce(sum(pg_column_size(body) + pg_column_size(artifacts) + pg_column_size(payload)), 0) FROM messages) AS bodies`,
  );
  return { total: Number(size?.total), bodies: Number(size?.bodies) };
}

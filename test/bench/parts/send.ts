import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { handoffContent, sendParams } from '../content';
import { clusterOf, type Context } from '../context';
import { besideFloor } from '../beside-floor';
import { Caller, type RpcCall } from '../load';
import { pgbenchRate } from '../pgbench';
import { sendStatement } from '../relay-statements';
import { startRelay } from '../relay-program';
import { atLeast, judged, type Row, spread, times } from '../table';
import { type Member, registerTeam, whoIs } from '../team';

const CLIENTS = [1, 16] as const;
const BUDGET = atLeast(0.2, '20 %');

interface Pair {
  sender: Member;
  recipient: Member;
}

/** `message/send` that creates a handoff of 8 KB under an idempotency key, beside pgbench writing the same rows. */
export async function send(context: Context): Promise<Row[]> {
  const { other } = context.options;
  if (other !== undefined) {
    const [sender, recipient] = await Promise.all(other.keys.map((key) => whoIs(other.url, key)));
    if (sender === undefined || recipient === undefined) throw new Error('Sending needs two keys.');
    return measure(context, other.url, [{ sender, recipient }]);
  }
  const database = await clusterOf(context).fresh('agentrelay_bench_send');
  const relay = await startRelay(database);
  const team = await registerTeam(relay.url, Math.max(...CLIENTS));
  const rows = await measure(context, relay.url, ringOf(team), { database, pid: relay.pid });
  await relay.stop();
  return rows;
}

/** Each client sends as an agent of its own to the next one. */
function ringOf(team: readonly Member[]): Pair[] {
  return team.flatMap((sender, i) => {
    const recipient = team[(i + 1) % team.length];
    return recipient === undefined ? [] : [{ sender, recipient }];
  });
}

async function measure(
  context: Context,
  url: string,
  pairs: Pair[],
  own?: { database: string; pid: number },
): Promise<Row[]> {
  const floor = own && context.hasPgbench ? { ...(await sendStatement(pairs)), database: own.database } : undefined;
  const content = handoffContent();
  const next = (client: number): RpcCall => {
    const { sender, recipient } = pairs[client % pairs.length]!;
    return {
      apiKey: sender.apiKey,
      method: 'message/send',
      params: sendParams(recipient.handle, content, randomUUID()),
    };
  };
  const caller = new Caller(url);
  const rows: Row[] = [];
  for (const clients of CLIENTS) {
    const { row, rates } = await besideFloor(context, {
      work: workOf(clients),
      caller,
      load: { clients, next },
      pid: own?.pid,
      floor:
        floor && (() => pgbenchRate(floor.database, floor.statement, { clients, ms: context.ms, fresh: floor.fresh })),
      budget: clients === 16 ? BUDGET : undefined,
    });
    rows.push(row);
    if (clients === 16) rows.push(...comparedWith(context.options.against, rates));
  }
  caller.close();
  return rows;
}

function workOf(clients: number): string {
  return `send, ${clients} client${clients === 1 ? '' : 's'}`;
}

/** Beside the same load on another relay, as an earlier run of this driver told it. */
function comparedWith(file: string | undefined, rates: readonly number[]): Row[] {
  if (file === undefined) return [];
  if (!existsSync(file)) throw new Error(`There is no ${file}; write it with --url … --json ${file}.`);
  const { rows } = JSON.parse(readFileSync(file, 'utf8')) as { rows: Row[] };
  const measured = rows.find(({ work }) => work === workOf(16))?.measured;
  if (measured === undefined) throw new Error(`${file} tells nothing of "${workOf(16)}".`);
  const ratio = spread(rates.map((rate) => rate / parseFloat(measured)));
  return [
    judged(
      `${workOf(16)}, beside ${file}`,
      { measured: `${spread(rates).middle.toFixed(0)}/s`, floor: measured, value: ratio.middle, ratio: times(ratio) },
      atLeast(8, '8 ×'),
    ),
  ];
}

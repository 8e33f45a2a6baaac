import { encodeCursor, type ListPosition } from '../../../apps/relay/src/handoffs/queries/list-handoffs/list-cursor';
import { query } from '../cluster';
import { clusterOf, type Context } from '../context';
import { besideFloor } from '../beside-floor';
import { Caller, type RpcCall, timeOf } from '../load';
import { countOf, mailboxOf } from '../mailbox';
import { pgbenchRate } from '../pgbench';
import { listStatement } from '../relay-statements';
import { startRelay } from '../relay-program';
import { atLeast, atMost, judged, type Row, spread, times } from '../table';
import { type Member, memberOf } from '../team';

const PAGE = 50;
const CLIENTS = 16;
const DEEP = 100_000;
const FEW = 1_000;
/** Calls of each kind in a round whose times are compared. */
const CALLS = 100;

/** `tasks/list` of an agent that received every fifth of all stored handoffs. */
export async function list(context: Context): Promise<Row[]> {
  const { options, ms, rounds, hasPgbench, say } = context;
  const many = options.quick ? 20_000 : 1_000_000;
  const deep = options.quick ? DEEP / 50 : DEEP;
  const database = await mailboxOf(clusterOf(context), many, say);
  const smallDatabase = await mailboxOf(clusterOf(context), FEW, say);
  const [relay, smallRelay] = [await startRelay(database), await startRelay(smallDatabase)];
  const [member, smallMember] = [
    await memberOf(relay.url, 'agent-0001@bench'),
    await memberOf(smallRelay.url, 'agent-0001@bench'),
  ];
  const stored = await countOf(database, 'handoffs');
  const caller = new Caller(relay.url);
  const smallCaller = new Caller(smallRelay.url);

  const statement = await listStatement(member, PAGE);
  const { row } = await besideFloor(context, {
    work: `list, first ${PAGE} of ${stored} stored, ${CLIENTS} clients`,
    caller,
    load: { clients: CLIENTS, next: () => firstPage(member) },
    pid: relay.pid,
    floor: hasPgbench ? () => pgbenchRate(database, statement, { clients: CLIENTS, ms }) : undefined,
    budget: atLeast(0.15, '15 %'),
  });
  const position = await positionOf(database, member, deep);

  const first: number[] = [];
  const small: number[] = [];
  const later: number[] = [];
  // In turn, call by call: whatever else the machine does meets all three alike.
  for (let n = 0; n < CALLS * rounds; n++) {
    first.push(await timeOf(caller, firstPage(member)));
    small.push(await timeOf(smallCaller, firstPage(smallMember)));
    later.push(await timeOf(caller, page(member, position)));
  }
  caller.close();
  smallCaller.close();
  await relay.stop();
  await smallRelay.stop();
  return [
    row,
    compared(`list, ${stored} beside ${FEW} stored`, first, small, rounds, atMost(1.3, '1.3 ×')),
    compared(`list, item ${deep} beside the first page`, later, first, rounds, atMost(1.5, '1.5 ×')),
  ];
}

/** Median times, and the spread of their ratio over the rounds. */
function compared(
  work: string,
  some: number[],
  others: number[],
  rounds: number,
  budget: ReturnType<typeof atMost>,
): Row {
  const middle = (taken: number[], round: number): number =>
    spread(taken.slice(round * CALLS, (round + 1) * CALLS)).middle;
  const ratio = spread(Array.from({ length: rounds }, (_, round) => middle(some, round) / middle(others, round)));
  const shown = (taken: number[]): string => `${spread(taken).middle.toFixed(1)} ms`;
  return judged(
    work,
    { measured: shown(some), floor: shown(others), value: ratio.middle, ratio: times(ratio) },
    budget,
  );
}

function firstPage(member: Member): RpcCall {
  return {
    apiKey: member.apiKey,
    method: 'tasks/list',
    params: { filter: { role: 'recipient' }, page: { limit: PAGE } },
  };
}

function page(member: Member, position: ListPosition): RpcCall {
  const params = { filter: { role: 'recipient' }, page: { limit: PAGE, cursor: encodeCursor(position) } };
  return { apiKey: member.apiKey, method: 'tasks/list', params };
}

/** Where the item of that number stands in the member's list. */
async function positionOf(database: string, { agentId }: Member, number: number): Promise<ListPosition> {
  const [row] = await query<{ updated_at: Date; id: string }>(
    database,
    'SELECT updated_at, id FROM handoffs WHERE recipient_id = $1 ORDER BY updated_at DESC, id DESC OFFSET $2 LIMIT 1',
    [agentId, number - 1],
  );
  if (row === undefined) throw new Error(`The list has no item ${number}.`);
  return { updatedAt: row.updated_at, id: row.id };
}

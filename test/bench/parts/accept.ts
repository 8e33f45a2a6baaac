import { handoffContent, sendParams } from '../content';
import { clusterOf, type Context } from '../context';
import { Caller } from '../load';
import { startRelay } from '../relay-program';
import { exactly, judged, type Row } from '../table';
import { type Member, registerTeam, whoIs } from '../team';

const SESSIONS = 500;

/** As many sessions as that accept one handoff at once: one wins, every other is told that the state changed. */
export async function accept(context: Context): Promise<Row[]> {
  const { other } = context.options;
  if (other !== undefined)
    return race(context, other.url, await Promise.all(other.keys.map((key) => whoIs(other.url, key))));
  const database = await clusterOf(context).fresh('agentrelay_bench_accept');
  const relay = await startRelay(database);
  const rows = await race(context, relay.url, await registerTeam(relay.url, 2));
  await relay.stop();
  return rows;
}

async function race({ rounds }: Context, url: string, [sender, recipient]: Member[]): Promise<Row[]> {
  if (sender === undefined || recipient === undefined) throw new Error('A race needs two agents.');
  const caller = new Caller(url);
  const outcomes = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    const params = sendParams(recipient.handle, handoffContent(), `race-${Date.now()}-${round}`);
    const { task_id } = await caller.result<{ task_id: string }>({
      apiKey: sender.apiKey,
      method: 'message/send',
      params,
    });
    const replies = await Promise.all(
      Array.from({ length: SESSIONS }, (_, i) =>
        caller.call({
          apiKey: recipient.apiKey,
          method: 'tasks/update',
          params: { task_id, transition: 'accept', session_id: `session-${i}` },
        }),
      ),
    );
    const won = replies.filter(({ status }) => status === 200).length;
    const changed = replies.filter(({ text }) => text.includes('"state_changed"')).length;
    outcomes.add(`${won} won, ${changed} state_changed`);
  }
  caller.close();
  const wanted = `1 won, ${SESSIONS - 1} state_changed`;
  const value = outcomes.size === 1 && outcomes.has(wanted) ? 1 : 0;
  return [
    judged(
      `${SESSIONS} parallel accepts, ${rounds} time${rounds === 1 ? '' : 's'}`,
      { measured: [...outcomes].join('; '), value },
      exactly(1, wanted),
    ),
  ];
}

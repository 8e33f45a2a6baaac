import { clusterOf, type Context } from '../context';
import { countOperations, STATEMENT_BUDGETS } from '../operations';
import { startRelay } from '../relay-program';
import { StatementCounter } from '../statement-counter';
import { atMost, judged, type Row } from '../table';
import { registerTeam } from '../team';

/** How many statements each operation costs, `BEGIN` and `COMMIT` included, as PostgreSQL counts them. */
export async function statements(context: Context): Promise<Row[]> {
  const database = await clusterOf(context).fresh('agentrelay_bench_statements');
  const relay = await startRelay(database);
  const [sender, recipient] = await registerTeam(relay.url, 2);
  if (sender === undefined || recipient === undefined) throw new Error('Counting needs two agents.');
  const counts = await countOperations(relay.url, await StatementCounter.on(database), sender, recipient);
  await relay.stop();
  return counts.map(({ operation, statements: value }) => {
    const limit = STATEMENT_BUDGETS[operation];
    return judged(`${operation}: statements`, { measured: String(value), value }, atMost(limit, String(limit)));
  });
}

import { type Cluster, query } from './cluster';
import { startRelay } from './relay-program';
import { seedHandoffs } from './seed';
import { registerTeam } from './team';

/** A few hundred agents; the first of them, `agent-0001@bench`, receives every fifth handoff. */
const TEAM = 300;

/** A database with so many stored handoffs: found from an earlier run where the cluster was kept, else seeded now. */
export async function mailboxOf(cluster: Cluster, handoffs: number, say: (text: string) => void): Promise<string> {
  return cluster.kept(`agentrelay_bench_${handoffs}`, async (url) => {
    const since = Date.now();
    const relay = await startRelay(url);
    await registerTeam(relay.url, TEAM);
    await relay.stop();
    await seedHandoffs(url, handoffs);
    say(`seeded ${handoffs} handoffs in ${((Date.now() - since) / 1_000).toFixed(0)} s`);
  });
}

export async function countOf(url: string, table: 'handoffs' | 'messages' | 'events'): Promise<number> {
  const [row] = await query<{ count: number }>(url, `SELECT count(*)::integer AS count FROM ${table}`);
  return row?.count ?? 0;
}

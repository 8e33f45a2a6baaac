import { Caller } from '../../bench/load';
import { seedHandoffs } from '../../bench/seed';
import { atMost } from '../../bench/table';
import { type Attack, inParallel, register, type Scene, scaled } from '../scene';

const HANDOFFS = 40_000;
const AT_ONCE = 30;
const MS = 8_000;
const SLOWER = 10;
const LEAST_IDLE_MS = 2;
/** Text that nothing contains: every row that may be looked at is looked at. */
const NEEDLES = ['qzqzqzqz', '%_%_%_%_%_%_%_%_', 'the list is paginated now and clients zz', '\u{1f642}'.repeat(100)];

/** One agent asks for pages that are found only by looking at everything, many at once. */
export const costlyReads: Attack = {
  name: 'costly reads',
  async run(scene) {
    // The first by its handle receives every fifth of what is seeded.
    const attacker = await register(scene, 'aaa@acme');
    for (let n = 0; n < 4; n++) await register(scene, `team-${n}@acme`);
    await seedHandoffs(scene.databaseUrl, scaled(HANDOFFS, scene, 5_000));
    const other = await register(scene, 'zzz@acme');
    for (const [name, method, params] of READS)
      await readMany(scene, name, { apiKey: attacker.apiKey, method, params }, other.apiKey);
  },
};

type Params = (n: number) => object;
/** Filters by text look at rows that they do not show: only those are bounded apart from the rate, and judged. */
const READS: readonly (readonly [name: string, method: string, params: Params])[] = [
  ['filters by text', 'tasks/list', (n) => ({ filter: { role: 'any', text: NEEDLES[n % NEEDLES.length] }, page: { limit: 200 }, peek: true })],
  ['pages of 200', 'tasks/list', () => ({ filter: { role: 'any' }, page: { limit: 200 }, peek: true })],
  ['filters by a counterpart without handoffs', 'tasks/list', () => ({ filter: { role: 'any', counterpart: 'zzz@acme' }, page: { limit: 200 }, peek: true })],
  ['events from the beginning', 'events/list', () => ({ limit: 200, include_own: true, types: ['draft.appended'] })],
]; // prettier-ignore

async function readMany(
  { relay, bystander, ledger, say, ...scene }: Scene,
  name: string,
  call: { apiKey: string; method: string; params: Params },
  otherKey: string,
): Promise<void> {
  const caller = new Caller(relay.url);
  const outcomes: Record<string, number> = {};
  const ms = Math.max(2_000, MS * scene.scale);
  const attack = async (): Promise<void> => {
    const end = Date.now() + ms;
    await inParallel(Array(AT_ONCE).keys(), AT_ONCE, async (worker) => {
      for (let n = worker; Date.now() < end; n++) {
        const reply = await caller.call({ ...call, params: call.params(n) }, false).catch(() => undefined);
        const status = String(reply?.status ?? 'cut off');
        outcomes[status] = (outcomes[status] ?? 0) + 1;
      }
    });
  };
  if (bystander === undefined) await attack();
  else {
    const order = { url: relay.url, apiKey: otherKey };
    const idle = await bystander.during(order, () => new Promise((resolve) => setTimeout(resolve, ms / 2)));
    const beside = await bystander.during(order, attack);
    ledger.speed(
      `another agent’s list beside ${AT_ONCE} ${name} at once, p95`,
      beside.p95 / Math.max(idle.p95, LEAST_IDLE_MS),
      `${beside.p95.toFixed(1)} ms, idle ${idle.p95.toFixed(1)} ms`,
      name === 'filters by text' ? atMost(SLOWER, `${SLOWER} × idle`) : undefined,
    );
    ledger.claim(
      `another agent is not refused beside ${name}`,
      beside.refused === 0,
      `${beside.refused} of ${beside.calls}`,
    );
  }
  caller.close();
  say(`  ${name}: ${JSON.stringify(outcomes)}`);
  const good = Object.keys(outcomes).every((status) => ['200', '429', '503'].includes(status));
  ledger.claim(`${name} are answered or told to wait`, good, JSON.stringify(outcomes));
}

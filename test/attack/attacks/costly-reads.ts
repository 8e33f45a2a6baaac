import { text } from '../../../libs/testing/src/test-agent';
import { Caller } from '../../bench/load';
import { seedHandoffs } from '../../bench/seed';
import { atMost } from '../../bench/table';
import type { Watched } from '../bystander';
import { type Attack, inParallel, register, type Scene, scaled } from '../scene';

const HANDOFFS = 40_000;
const AT_ONCE = 30;
const MS = 8_000;
const TWICE = 2;
/** Below this an answer is too quick to be compared with. */
const LEAST_MS = 5;
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
    const call = { apiKey: attacker.apiKey, otherKey: other.apiKey };
    const send = (n: number) => ({ recipient: 'team-1@acme', message: text(`An honest handoff, number ${n}.`) });
    const honest = await askMany(scene, 'honest sends', { ...call, method: 'message/send', params: send });
    for (const [name, method, params] of READS) {
      const beside = await askMany(scene, name, { ...call, method, params });
      if (honest === undefined || beside === undefined) continue;
      scene.ledger.speed(
        `another agent’s list beside ${AT_ONCE} ${name} at once, p95`,
        beside.p95 / Math.max(honest.p95, LEAST_MS),
        `${beside.p95.toFixed(1)} ms, beside ${AT_ONCE} honest sends ${honest.p95.toFixed(1)} ms`,
        // A page costs what it shows, which the rate bounds; the others look at what they do not show.
        name === PAGES ? undefined : atMost(TWICE, `${TWICE} × beside honest sends`),
      );
      scene.ledger.claim(
        `another agent is not refused beside ${name}`,
        beside.refused === 0,
        `${beside.refused} of ${beside.calls}`,
      );
    }
  },
};

const PAGES = 'pages of 200';

type Params = (n: number) => object;
const READS: readonly (readonly [name: string, method: string, params: Params])[] = [
  ['filters by text', 'tasks/list', (n) => ({ filter: { role: 'any', text: NEEDLES[n % NEEDLES.length] }, page: { limit: 200 }, peek: true })],
  [PAGES, 'tasks/list', () => ({ filter: { role: 'any' }, page: { limit: 200 }, peek: true })],
  ['filters by a counterpart without handoffs', 'tasks/list', () => ({ filter: { role: 'any', counterpart: 'zzz@acme' }, page: { limit: 200 }, peek: true })],
  ['events from the beginning', 'events/list', () => ({ limit: 200, include_own: true, types: ['draft.appended'] })],
]; // prettier-ignore

interface Asking {
  apiKey: string;
  method: string;
  params: Params;
  otherKey: string;
}

/** Asks many at once, each again when it is answered, and returns what the bystander saw meanwhile. */
async function askMany(
  { relay, bystander, ledger, say, scale }: Scene,
  name: string,
  { otherKey, ...call }: Asking,
): Promise<Watched | undefined> {
  const caller = new Caller(relay.url);
  const outcomes: Record<string, number> = {};
  const ms = Math.max(2_000, MS * scale);
  const attack = async (): Promise<void> => {
    const end = Date.now() + ms;
    await inParallel(Array(AT_ONCE).keys(), AT_ONCE, async (worker) => {
      for (let n = worker; Date.now() < end; n += AT_ONCE) {
        const reply = await caller.call({ ...call, params: call.params(n) }, false).catch(() => undefined);
        const status = String(reply?.status ?? 'cut off');
        outcomes[status] = (outcomes[status] ?? 0) + 1;
      }
    });
  };
  const watched = await (bystander === undefined
    ? attack().then(() => undefined)
    : bystander.during({ url: relay.url, apiKey: otherKey }, attack));
  caller.close();
  say(`  ${name}: ${JSON.stringify(outcomes)}`);
  const good = Object.keys(outcomes).every((status) => ['200', '429', '503'].includes(status));
  ledger.claim(`${name} are answered or told to wait`, good, JSON.stringify(outcomes));
  return watched;
}

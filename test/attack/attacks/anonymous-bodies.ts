import { atMost, spread } from '../../bench/table';
import { register, type Attack, type Scene, scaled } from '../scene';
import { SHAPES } from '../bodies';
import { pieces, type Shot, strike } from '../strike';

const MIB = 1_048_576;
/** A little below the largest body that any route takes. */
const BYTES = 4 * MIB - 1_024;
const SHAPES_TRIED = ['list of zeros', 'nested lists', 'many keys', 'long text', 'list of empty objects'] as const;
const TARGETS: readonly (readonly [method: string, target: string])[] = [
  ['POST', '/invites/x/redeem'],
  ['POST', '/a2a'],
  ['POST', '/admin/agents'],
  ['PUT', '/agents/me/card'],
  ['POST', '/nowhere'],
];
/** Requests whose processor time is read together: it is counted in steps of 10 ms. */
const GROUP = 5;
const GROUPS = 7;
/** The most that a request without a credential may cost. */
const CPU_MS = 5;
const FLOOD_WORKERS = 4;
const FLOOD_MS = 6_000;
/** How much slower another agent's list may become. */
const SLOWER = 10;
/** Below this an idle answer is too quick to be compared with. */
const LEAST_IDLE_MS = 2;

/** Whoever has no credential sends bodies that are expensive to read. */
export const anonymousBodies: Attack = {
  name: 'bodies without a credential',
  async run(scene) {
    const worst = { ms: 0, what: '' };
    for (const [method, target] of TARGETS) {
      for (const shape of SHAPES_TRIED) {
        const shot = anonymous(method, target, bodyFor(target, shape));
        const ms = await costOf(scene, shot, `${method} ${target} with ${shape} of 4 MiB`);
        scene.say(`  ${method} ${target}, ${shape}: ${ms.toFixed(1)} ms CPU`);
        if (ms > worst.ms) Object.assign(worst, { ms, what: `${method} ${target}, ${shape}` });
      }
    }
    scene.ledger.speed(
      'CPU of one request at the median, worst of all',
      worst.ms,
      `${worst.ms.toFixed(1)} ms (${worst.what})`,
      atMost(CPU_MS, `${CPU_MS} ms`),
    );
    await flood(scene);
  },
};

function bodyFor(target: string, shape: string): Buffer {
  const value = SHAPES[shape]?.(BYTES - 100) ?? '0';
  return Buffer.from(
    target === '/a2a' ? `{"jsonrpc":"2.0","id":1,"method":"message/send","params":${value}}` : `{"token":${value}}`,
  );
}

function anonymous(method: string, target: string, body: Buffer): Shot {
  return { method, target, headers: [['content-type', 'application/json']], body: pieces(body), framing: 'length' };
}

/** Milliseconds of processor time for one such request, at the median of several groups. */
async function costOf(scene: Scene, shot: Shot, reproduction: string): Promise<number> {
  const costs: number[] = [];
  // Without a measure of speed once is enough.
  for (let group = 0; group < (scene.bystander === undefined ? 1 : GROUPS); group++) {
    const before = scene.relay.cpuMs;
    for (let n = 0; n < GROUP; n++) {
      const struck = await strike(scene.relay.port, shot);
      scene.ledger.take(struck, { mayClose: true, mayBeBusy: true }, reproduction);
      if (!scene.relay.isRunning) throw new Error(`it ended on ${reproduction}`);
    }
    costs.push((scene.relay.cpuMs - before) / GROUP);
  }
  return spread(costs).middle;
}

/** What another agent notices of it. */
async function flood(scene: Scene): Promise<void> {
  const { bystander, relay, ledger } = scene;
  if (bystander === undefined) return;
  const { apiKey } = await register(scene, 'bystander@acme');
  const order = { url: relay.url, apiKey };
  const ms = scaled(FLOOD_MS, scene, 2_000);
  const idle = await bystander.during(order, () => new Promise((resolve) => setTimeout(resolve, ms)));
  const shots = TARGETS.map(([method, target]) => anonymous(method, target, bodyFor(target, 'list of zeros')));
  const beside = await bystander.during(order, async () => {
    const end = Date.now() + ms;
    const worker = async (first: number): Promise<void> => {
      for (let n = first; Date.now() < end && relay.isRunning; n++) {
        const struck = await strike(relay.port, shots[n % shots.length]!);
        ledger.take(struck, { mayClose: true, mayBeBusy: true }, 'list of zeros of 4 MiB, several at once');
      }
    };
    await Promise.all(Array.from({ length: FLOOD_WORKERS }, (_, first) => worker(first)));
  });
  const ratio = beside.p95 / Math.max(idle.p95, LEAST_IDLE_MS);
  ledger.speed(
    `another agent’s list meanwhile, p95`,
    ratio,
    `${beside.p95.toFixed(1)} ms, idle ${idle.p95.toFixed(1)} ms`,
    atMost(SLOWER, `${SLOWER} × idle`),
  );
  ledger.claim('another agent is never refused', beside.refused === 0, `${beside.refused} of ${beside.calls} refused`);
}

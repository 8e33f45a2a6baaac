import type { TestAgent } from '../../../libs/testing/src/test-agent';
import { Random } from '../../chaos/random';
import { type Body, generateBody } from '../bodies';
import { nameOf, type Route } from '../routes';
import { type Attack, humanOf, inParallel, register, type Scene, scaled } from '../scene';
import { pieces, type Shot, strike } from '../strike';

const BODIES = 20_000;
const PER_ROUTE = 100;
/** The share of bodies for the native API, beyond what every route gets. */
const WORKERS = 6;
const KIB = 1_024;
const BIGGEST = 4_096 * KIB;
/** An agent whose key a good request may end is registered anew after so many bodies. */
const VICTIM_EVERY = 400;
/** A slow body comes in so many pieces with pauses. */
const SLOW_PIECES = 5;
const SLOW_PAUSE_MS = 60;
const SOMEBODY = '00000000-7a5c-7000-8000-000000000000';

interface People {
  agents: TestAgent[];
  human: TestAgent;
  victim: TestAgent;
}

/** Generated bodies at every route, with and without a credential: one number gives one body. */
export const generatedBodies: Attack = {
  name: 'generated bodies',
  async run(scene) {
    const total = scaled(BODIES, scene);
    const plan = planOf(total, scene.routes, scaled(PER_ROUTE, scene));
    const people = await meet(scene);
    let done = 0;
    await inParallel(plan.entries(), WORKERS, async ([number, route]) => {
      if (!scene.relay.isRunning) return;
      if (number % VICTIM_EVERY === 0) people.victim = await register(scene, `victim-${number}@acme`);
      await fire(scene, route, number, people);
      if (++done % 2_000 === 0) scene.say(`  ${done} bodies, peak ${Math.round(scene.relay.peakMiB)} MiB`);
    });
    scene.ledger.claim(
      'bodies sent, each route its share',
      done === total && leastOf(plan) >= scaled(PER_ROUTE, scene),
      `${done} at ${scene.routes.length} routes, at least ${leastOf(plan)} each`,
    );
  },
};

/** Which route each body goes to: every route its share, the rest to the native API and the others in turn. */
function planOf(total: number, routes: readonly Route[], perRoute: number): Route[] {
  const native = routes.find(({ path }) => path === '/a2a')!;
  const each = Array.from({ length: perRoute }, () => routes).flat();
  const rest = Array.from({ length: Math.max(0, total - each.length) }, (_, n) =>
    n % 2 === 0 ? native : routes[n % routes.length]!,
  );
  return [...each, ...rest].slice(0, Math.max(total, each.length));
}

function leastOf(plan: readonly Route[]): number {
  const counts = new Map<string, number>();
  for (const route of plan) counts.set(nameOf(route), (counts.get(nameOf(route)) ?? 0) + 1);
  return Math.min(...counts.values());
}

async function meet(scene: Scene): Promise<People> {
  const agents = [await register(scene, 'ann@acme'), await register(scene, 'ben@acme')];
  return { agents, human: await humanOf(scene, agents[0]!), victim: await register(scene, 'victim@acme') };
}

async function fire(scene: Scene, route: Route, number: number, people: People): Promise<void> {
  const random = new Random(scene.seed * 1_000_003 + number);
  const body = generateBody(route.path === '/a2a', sizeOf(random), random);
  const credential = credentialFor(route, random, people, scene.relay.adminToken);
  const shot = shotOf(route, body, credential.secret, random);
  const how = `${shot.framing}${shot.pauseMs === undefined ? '' : ', slow'}`;
  const reproduction = `body ${number} of seed ${scene.seed}: ${nameOf(route)} with ${credential.name}, ${how}, ${body.bytes.length} bytes, ${body.name}`;
  const struck = await strike(scene.relay.port, shot);
  // Whoever sends more than a route takes may find the connection closed before the refusal is read.
  const mayClose = body.bytes.length > 48 * KIB;
  scene.ledger.take(struck, { mayClose, mayBeBusy: true }, reproduction);
}

/** Mostly small, because most of the code is behind the limits of size; seldom as large as it goes, or larger. */
function sizeOf(random: Random): number {
  const chance = random.next();
  if (chance < 0.6) return random.between(6, 3_000);
  if (chance < 0.85) return random.between(3_000, 60 * KIB);
  if (chance < 0.97) return random.between(60 * KIB, 300 * KIB);
  return random.between(300 * KIB, BIGGEST + 200 * KIB);
}

function credentialFor(
  { path }: Route,
  random: Random,
  { agents, human, victim }: People,
  adminToken: string,
): { name: string; secret: string | undefined } {
  if (random.chance(0.2)) return { name: 'no credential', secret: undefined };
  if (random.chance(0.05)) return { name: 'a wrong key', secret: `${agents[0]!.apiKey.slice(0, -2)}zz` };
  if (path.startsWith('/admin')) return { name: 'the admin token', secret: adminToken };
  // A good request to these ends keys: it must not be the key of those who send the other bodies.
  if (path.includes('/keys')) return { name: 'a key that may end', secret: victim.apiKey };
  return random.chance(0.1)
    ? { name: "a person's key", secret: human.apiKey }
    : { name: "an agent's key", secret: random.pick(agents).apiKey };
}

function shotOf({ method, path }: Route, body: Body, secret: string | undefined, random: Random): Shot {
  const slow = random.chance(0.02);
  const size = slow ? Math.max(1, Math.ceil(body.bytes.length / SLOW_PIECES)) : random.pick([65_536, 65_536, 4_096]);
  return {
    method,
    target: path.replace(/:handle/g, 'nobody@acme').replace(/:[a-z]+/g, SOMEBODY),
    headers: [
      ['content-type', random.chance(0.95) ? 'application/json' : random.pick(['text/plain', 'application/xml', ''])],
      ...(secret === undefined ? [] : [['authorization', `Bearer ${secret}`] as const]),
      ...(body.encoding === undefined ? [] : [['content-encoding', body.encoding] as const]),
    ],
    body: pieces(body.bytes, size),
    framing: random.chance(0.7) ? 'length' : 'chunked',
    ...(slow ? { pauseMs: SLOW_PAUSE_MS } : {}),
  };
}

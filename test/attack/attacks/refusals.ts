import type { TestAgent } from '../../../libs/testing/src/test-agent';
import { atMost } from '../../bench/table';
import { SHAPES, SPOILT } from '../bodies';
import { handoffOf, rpcShot, rpcText } from '../calls';
import { costsOf, type Series } from '../cost';
import { type Attack, inParallel, register, type Scene, scaled } from '../scene';
import { pieces, type Shot, stream, strike } from '../strike';

const MIB = 1_048_576;
/** What an agent may call at once here: enough for what is measured, little enough to be spent. */
const BURST = 4_000;
const TWICE = 2;
const UNANNOUNCED = 'a stream in chunks, read to the limit';
const ROUNDS = 5;
/** How many of the dearest bodies are measured again. */
const AGAIN = 8;
/** Sizes of bodies, with how many requests are measured together. */
const SIZES: readonly (readonly [name: string, bytes: number, count: number])[] = [
  ['4 KiB', 4_096, 60],
  ['256 KiB', 262_144, 10],
  ['3.9 MiB', 3.9 * MIB, 3],
];

/** Refusals must not be a cheaper way to keep the relay busy than honest calls. */
export const refusals: Attack = {
  name: 'costs of refusals',
  settings: { RELAY_RATE_PER_MINUTE: '1', RELAY_RATE_BURST: String(BURST) },
  async run(scene) {
    await unreadRefusals(scene);
    await badRequests(scene);
  },
};

function shot(method: string, target: string, secret: string | undefined, body: Buffer, announced?: number): Shot {
  return {
    method,
    target,
    headers: [
      ['content-type', 'application/json'],
      ...(secret === undefined ? [] : [['authorization', `Bearer ${secret}`] as const]),
    ],
    body: pieces(body),
    framing: 'length',
    ...(announced === undefined ? {} : { announced }),
  };
}

/** 401, 429 and 413 against a small call that is accepted. */
async function unreadRefusals(scene: Scene): Promise<void> {
  const agent = await register(scene, 'honest@acme');
  const spent = await register(scene, 'spent@acme');
  await spend(spent);
  const list = rpcText('tasks/list', {});
  const zeros = Buffer.from(`{"token":${SHAPES['list of zeros']!(4 * MIB - 64)}}`);
  const wrong = `${agent.apiKey.slice(0, -2)}zz`;
  const refused: readonly (readonly [status: number, name: string, make: () => Shot])[] = [
    [401, 'no credential', () => rpcShot(undefined, list)],
    [401, 'no credential and 4 MiB', () => rpcShot(undefined, zeros)],
    [401, 'a wrong key', () => rpcShot(wrong, list)],
    [401, 'a wrong key and 4 MiB', () => rpcShot(wrong, zeros)],
    [401, 'a wrong invite token', () => shot('POST', '/invites/x/redeem', undefined, Buffer.from('{"token":"wrong"}'))],
    [429, 'a key that has spent its calls', () => rpcShot(spent.apiKey, list)],
    [429, 'the same with 4 MiB', () => rpcShot(spent.apiKey, zeros)],
    [429, 'the same at another route', () => shot('GET', '/agents/me', spent.apiKey, Buffer.alloc(0))],
    [413, 'a large body announced', () => shot('POST', '/a2a', agent.apiKey, Buffer.alloc(1_000, ' '), 8 * MIB)],
    [413, 'a large body at a route of small ones', () => shot('PUT', '/agents/me/card', agent.apiKey, zeros)],
    [413, 'a large body in chunks at a route of small ones', () => ({ ...shot('PUT', '/agents/me/card', agent.apiKey, zeros), framing: 'chunked' })],
    [413, 'a large invite', () => shot('POST', '/invites/x/redeem', undefined, zeros)],
    [413, UNANNOUNCED, () => ({ ...rpcShot(agent.apiKey, list), body: stream(60 * MIB), framing: 'chunked' })],
  ]; // prettier-ignore
  const seen = new Map<string, Set<number | string>>();
  const series = refused.map(([status, what, make]): Series => {
    const name = `${status}: ${what}`;
    seen.set(name, new Set());
    return { name, send: async () => void seen.get(name)!.add((await strike(scene.relay.port, make())).status) };
  });
  const accepted = { name: 'accepted', send: () => strike(scene.relay.port, rpcShot(agent.apiKey, list)) };
  const costs = await costsOf(scene, [accepted, ...series], 30, scaled(ROUNDS, scene, 3));
  const small = costs.get('accepted')!;
  scene.say(`  a small accepted call: ${small.toFixed(2)} ms CPU`);
  for (const [status, what] of refused) {
    const name = `${status}: ${what}`;
    const cost = costs.get(name)!;
    scene.ledger.speed(
      name,
      cost / small,
      `${cost.toFixed(2)} ms CPU, ${(cost / small).toFixed(1)} × a small accepted call; answered ${[...seen.get(name)!].join(', ')}`,
      // What does not announce its size is read to the limit before it can be refused.
      what === UNANNOUNCED ? undefined : atMost(TWICE, `${TWICE} ×`),
    );
    const answers = [...seen.get(name)!].filter((one) => one !== status && one !== 'closed');
    scene.ledger.claim(`${name} is answered so`, answers.length === 0, [...seen.get(name)!].join(', '));
  }
}

async function spend(agent: TestAgent): Promise<void> {
  let refused = false;
  await inParallel(Array(2 * BURST).keys(), 16, async () => {
    if (!refused) refused = (await agent.rpc('agents/list', {})).status === 429;
  });
}

/** Where a value of a hostile shape is put in a call. */
const PLACES: readonly (readonly [name: string, place: (value: string) => string])[] = [
  ['an unknown parameter', (value) => `{"recipient":"other@acme","message":{"role":"user","parts":[{"type":"text","text":"x"}]},"zz":${value}}`],
  ['the message', (value) => `{"recipient":"other@acme","message":{"role":"user","parts":[{"type":"text","text":${value}}]}}`],
  ['the artifacts', (value) => `{"recipient":"other@acme","message":{"role":"user","parts":[{"type":"text","text":"x"}]},"artifacts":${value}}`],
  ['the recipient', (value) => `{"recipient":${value},"message":{"role":"user","parts":[{"type":"text","text":"x"}]}}`],
  ['the parameters', (value) => value],
]; // prettier-ignore

/** 400 in every shape against an accepted call of the same size. */
async function badRequests(scene: Scene): Promise<void> {
  for (const [size, bytes, count] of SIZES) {
    const people = new Supply(scene, size.replace(/[^0-9a-z]/gi, '').toLowerCase());
    const accepted: Series = {
      name: 'accepted',
      send: async () => strike(scene.relay.port, rpcShot(await people.next(), handoffOf('other@acme', bytes))),
    };
    if (size === '4 KiB') await register(scene, 'other@acme');
    const rounds = scaled(ROUNDS, scene, 3);
    const first = (await costsOf(scene, [accepted], count, rounds)).get('accepted')!;
    const found: { series: Series; cost: number }[] = [];
    for (const [what, body] of hostileBodies(bytes)) {
      const statuses = new Set<number | string>();
      const send = async (): Promise<void> =>
        void statuses.add((await strike(scene.relay.port, rpcShot(await people.next(), body))).status);
      const series = { name: what, send };
      const cost = (await costsOf(scene, [series], Math.max(2, Math.round(count / 3)), 2)).get(what)!;
      if (statuses.has(400)) found.push({ series, cost });
    }
    // A few requests tell little on a busy machine: the dearest are measured again, in turn with the accepted one.
    const dearest = found.sort((a, b) => b.cost - a.cost).slice(0, AGAIN);
    const series = [accepted, ...dearest.map((one) => one.series)];
    const costs = await costsOf(scene, series, count, rounds + 2);
    const honest = Math.max(costs.get('accepted')!, first);
    costs.delete('accepted');
    const [[what, cost] = ['none', Number.NaN]] = [...costs].sort(([, a], [, b]) => b - a);
    for (const [name, one] of costs)
      if (one > TWICE * honest) scene.say(`  ${size}: ${name} ${one.toFixed(1)} ms, accepted ${honest.toFixed(1)} ms`);
    scene.ledger.speed(
      `400 of ${size}, the dearest of ${found.length} bodies`,
      cost / honest,
      `${cost.toFixed(1)} ms CPU (${what}), accepted ${honest.toFixed(1)} ms`,
      atMost(TWICE, `${TWICE} × an accepted call of its size`),
    );
  }
}

function* hostileBodies(bytes: number): Generator<[what: string, body: Buffer]> {
  for (const [shape, make] of Object.entries(SHAPES)) {
    const value = make(bytes - 250);
    for (const [place, put] of PLACES) {
      const text = `{"jsonrpc":"2.0","id":1,"method":"message/send","params":${put(value)}}`;
      yield [`${shape} as ${place}`, Buffer.from(text)];
    }
    yield [`${shape} as the whole`, Buffer.from(value)];
  }
  for (const [name, make] of Object.entries(SPOILT)) yield [name, make(bytes)];
}

/** Keys of agents that may still call: each is used for less than its burst. */
class Supply {
  private key = '';
  private left = 0;
  private made = 0;

  constructor(
    private readonly scene: Scene,
    private readonly name: string,
  ) {}

  async next(): Promise<string> {
    if (this.left-- <= 0) {
      this.key = (await register(this.scene, `${this.name}-${this.made++}@acme`)).apiKey;
      this.left = BURST - 100;
    }
    return this.key;
  }
}

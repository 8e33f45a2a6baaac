import { atMost } from '../../bench/table';
import { humanOf, register, type Attack, type Scene } from '../scene';
import { nameOf, type Route } from '../routes';
import { type Shot, stream, strike } from '../strike';

const MIB = 1_048_576;
const KIB = 1_024;
const STREAM_BYTES = 60 * MIB;
/** The native API takes this much of whoever has a key. */
const NATIVE_BYTES = 4 * MIB;
const OTHER_BYTES = 64 * KIB;
/** What may be read of a body that is refused. */
const REFUSED_BYTES = 64 * KIB;
/** Node.js reads a socket in steps of 64 KiB, so that the last may go beyond; and maintenance reads from the database meanwhile. */
const READ_STEPS = 4 * 64 * KIB;
/** Requests at once: each takes about a second, because the relay does not close at once. */
const TOGETHER = 8;
/** The relay reads for a second at most after it has answered. */
const CLOSED_MS = 3_000;

const FRAMINGS = ['chunked', 'length'] as const;
const OF_A_SHORT_RUN = ['no credential', "an agent's key"];

/** Streams of 60 MB at every route and at an unknown address: each is refused without being read. */
export const endlessStreams: Attack = {
  name: 'streams of 60 MB',
  async run(scene) {
    const agent = await register(scene, 'streamer@acme');
    const human = await humanOf(scene, agent);
    const credentials: Record<string, string | undefined> = {
      'no credential': undefined,
      'a wrong key': `${agent.apiKey.slice(0, -2)}zz`,
      "an agent's key": agent.apiKey,
      "a person's key": human.apiKey,
      'the admin token': scene.relay.adminToken,
    };
    const chosen = Object.entries(credentials).filter(([name]) => scene.scale === 1 || OF_A_SHORT_RUN.includes(name));
    for (const [credential, secret] of chosen) await tryAll(scene, credential, secret);
  },
};

interface Tried {
  what: string;
  route: Route;
  framing: 'length' | 'chunked';
}

async function tryAll(scene: Scene, credential: string, secret: string | undefined): Promise<void> {
  const { ledger, routes } = scene;
  const framings = scene.scale === 1 ? FRAMINGS : FRAMINGS.slice(0, 1);
  const tries = routes.flatMap((route) =>
    framings.map((framing): Tried => ({
      what: `${nameOf(route)} with ${credential}, ${framing}`,
      route,
      framing,
    })),
  );
  const worst = { over: -Infinity, read: 0, what: '–' };
  const open: string[] = [];
  for (let at = 0; at < tries.length; at += TOGETHER) {
    const group = tries.slice(at, at + TOGETHER);
    let found = [await strikeAll(scene, group, credential, secret)];
    // Only the whole process's reading can be seen: who reads too much shows when each is tried alone.
    if (found[0]!.over > 0) {
      found = [];
      for (const one of group) found.push(await strikeAll(scene, [one], credential, secret));
    }
    for (const one of found) {
      if (one.over > 0) scene.say(`  ${one.what}: ${Math.round(one.read / KIB)} KiB read`);
      if (one.over > worst.over) Object.assign(worst, one);
      open.push(...one.open);
    }
  }
  ledger.figure(
    `bytes read beyond the limit with ${credential}`,
    worst.over,
    `${Math.round(worst.read / KIB)} KiB read at worst (${worst.what})`,
    atMost(0, `${REFUSED_BYTES / KIB} KiB and the route’s limit, in steps of 64 KiB`),
  );
  ledger.claim(
    `closed within ${CLOSED_MS / 1_000} s with ${credential}`,
    open.length === 0,
    open.length === 0 ? 'all' : `${open.length} not: ${open.slice(0, 3).join('; ')}`,
  );
}

interface Read {
  what: string;
  read: number;
  /** Bytes beyond what is allowed. */
  over: number;
  /** Which connections the relay did not close. */
  open: string[];
}

async function strikeAll(
  scene: Scene,
  tries: readonly Tried[],
  credential: string,
  secret: string | undefined,
): Promise<Read> {
  const { relay, ledger } = scene;
  const before = relay.bytesRead;
  const open: string[] = [];
  await Promise.all(
    tries.map(async ({ what, route, framing }) => {
      const struck = await strike(relay.port, shotAt(route, framing, secret), { persist: true, limitMs: CLOSED_MS });
      ledger.take(struck, { mayClose: true, mayBeBusy: true }, `60 MB at ${what}`);
      // An event stream stays open, whatever was sent with it.
      const stays = struck.status === 200 && route.path.endsWith('/stream');
      if (struck.closedMs === undefined && !stays) open.push(`${what} (${struck.status})`);
    }),
  );
  if (!relay.isRunning) throw new Error(`it ended on 60 MB at ${tries.map(({ what }) => what).join(' or ')}`);
  const read = relay.bytesRead - before;
  const allowed = tries.reduce((sum, { route }) => sum + allowedBytes(route, credential), 0);
  return {
    what: tries.length === 1 ? tries[0]!.what : `${tries.length} at once, ${tries[0]!.what} …`,
    read,
    over: read - allowed,
    open,
  };
}

function allowedBytes({ path }: Route, credential: string): number {
  const known = credential !== 'no credential' && credential !== 'a wrong key';
  const limit = !known ? 0 : path === '/a2a' ? NATIVE_BYTES : OTHER_BYTES;
  return limit + REFUSED_BYTES + READ_STEPS;
}

function shotAt({ method, path }: Route, framing: 'length' | 'chunked', secret: string | undefined): Shot {
  return {
    method,
    // An id that does not exist: nothing is to be changed.
    target: path.replace(/:[a-z]+/g, '00000000-7a5c-7000-8000-000000000000'),
    headers: [
      ['content-type', 'application/json'],
      ...(secret === undefined ? [] : [['authorization', `Bearer ${secret}`] as const]),
    ],
    body: stream(STREAM_BYTES),
    framing,
    announced: STREAM_BYTES,
  };
}

import { atMost } from '../../bench/table';
import { humanOf, register, type Attack, type Scene } from '../scene';
import { nameOf, type Route } from '../routes';
import { type Shot, stream, strike } from '../strike';

const MIB = 1_048_576;
const KIB = 1_024;
const STREAM_BYTES = 60 * MIB;
/** The native door takes this much of whoever has a key. */
const NATIVE_BYTES = 4 * MIB;
const OTHER_BYTES = 64 * KIB;
/** What may be read of a body that is refused. */
const REFUSED_BYTES = 64 * KIB;
/** Node.js reads a socket in steps of 64 KiB, so that the last may go beyond; and upkeep reads from the database meanwhile. */
const READ_STEPS = 4 * 64 * KIB;
/** The relay reads for a second at most after it has answered. */
const CLOSED_MS = 3_000;

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
    for (const [credential, secret] of Object.entries(credentials)) await tryAll(scene, credential, secret);
  },
};

async function tryAll(scene: Scene, credential: string, secret: string | undefined): Promise<void> {
  const { relay, ledger, routes } = scene;
  const worst = { over: 0, read: 0, what: '–' };
  const open: string[] = [];
  for (const route of routes) {
    for (const framing of ['length', 'chunked'] as const) {
      const what = `${nameOf(route)} with ${credential}, ${framing}`;
      const allowed = allowedBytes(route, credential);
      const before = relay.bytesRead;
      const struck = await strike(relay.port, shotAt(route, framing, secret), { persist: true, limitMs: CLOSED_MS });
      const read = relay.bytesRead - before;
      ledger.take(struck, { mayClose: true, mayBeBusy: true }, `60 MB at ${what}`);
      if (!relay.isRunning) throw new Error(`it ended on 60 MB at ${what}`);
      if (struck.closedMs === undefined) open.push(what);
      if (read - allowed > worst.over || worst.what === '–') Object.assign(worst, { over: read - allowed, read, what });
      if (read > allowed) scene.say(`  ${what}: ${struck.status}, ${Math.round(read / KIB)} KiB read`);
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
    open.length === 0 ? 'all' : `${open.length} not, the first ${open[0]}`,
  );
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

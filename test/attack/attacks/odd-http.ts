import { connect } from 'node:net';
import fc from 'fast-check';
import { atMost } from '../../bench/table';
import { garbage } from '../../fuzz/garbage';
import { HttpWire } from '../../fuzz/http-wire';
import { headAndBody, rpcText } from '../calls';
import { nameOf } from '../routes';
import { type Attack, inParallel, register, type Scene, scaled } from '../scene';
import { type Shot, strike } from '../strike';

const GARBAGE = 600;
const WORKERS = 6;
const PIPELINED = 1_000;
const METHODS = ['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'PATCH', 'PUT', 'DELETE', 'POST', 'GET'];
const LIMIT_MS = 15_000;
const NOT_UTF8 = Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0xc3, 0x28, 0x22, 0x7d]);

/** HTTP as no client should speak it. */
export const oddHttp: Attack = {
  name: 'odd HTTP',
  async run(scene) {
    const agent = await register(scene, 'odd@acme');
    await garbageBytes(scene);
    await everyMethod(scene, agent.apiKey);
    await notUtf8(scene, agent.apiKey);
    await pipelined(scene, agent.apiKey);
    await continues(scene, agent.apiKey);
  },
};

async function garbageBytes({ relay, ledger, seed, ...scene }: Scene): Promise<void> {
  const samples = fc.sample(garbage, { seed, numRuns: scaled(GARBAGE, { ...scene, relay, ledger, seed }) });
  let faults = 0;
  const wires = Array.from({ length: WORKERS }, () => new HttpWire('127.0.0.1', relay.port));
  await inParallel(samples, WORKERS, async (bytes) => {
    const wire = wires.pop() ?? new HttpWire('127.0.0.1', relay.port);
    const reply = await wire.exchange(bytes, { head: false, whole: false }).catch(() => 'hung' as const);
    wires.push(wire);
    const status = typeof reply === 'string' ? (reply === 'hung' ? 'hung' : 'closed') : reply.status;
    if (status === 'hung' || (typeof status === 'number' && status >= 500)) {
      faults++;
      scene.say(`  ${status} on ${JSON.stringify(bytes.toString('latin1').slice(0, 200))}`);
    }
  });
  for (const wire of wires) wire.close();
  ledger.figure(
    'bytes that are no request: 500 or no answer',
    faults,
    `${faults} of ${samples.length}`,
    atMost(0, 'none'),
  );
}

function bare(method: string, target: string, secret?: string): Shot {
  const headers = secret === undefined ? [] : [['authorization', `Bearer ${secret}`] as const];
  return { method, target, headers, body: [], framing: 'none' };
}

/** Every method at every address: those that end keys or people are only asked for ones that do not exist. */
async function everyMethod({ relay, ledger, routes }: Scene, apiKey: string): Promise<void> {
  const addresses = [...new Set(routes.map(({ path }) => path))];
  const all = addresses.flatMap((path) =>
    METHODS.flatMap((method) => [undefined, apiKey].map((key) => ({ path, method, key }))),
  );
  // A rotation would end the key that the others are asked with.
  const harmless = all.filter(({ path, method }) => !(path.endsWith('/keys/rotate') && method === 'POST'));
  await inParallel(harmless, WORKERS, async ({ path, method, key }) => {
    const target = path.replace(/:handle/g, 'nobody@acme').replace(/:[a-z]+/g, '00000000-7a5c-7000-8000-000000000000');
    const struck = await strike(relay.port, bare(method, target, key), { limitMs: LIMIT_MS });
    ledger.take(struck, {}, `${method} ${path} ${key === undefined ? 'without' : 'with'} a key`);
  });
}

async function notUtf8({ relay, ledger, routes }: Scene, apiKey: string): Promise<void> {
  for (const route of routes) {
    if (route.path.endsWith('/keys/rotate')) continue;
    const key = route.path.startsWith('/admin') ? relay.adminToken : apiKey;
    const target = route.path.replace(/:[a-z]+/g, 'nobody@acme');
    const shot: Shot = {
      ...bare(route.method, target, key),
      headers: [...bare(route.method, target, key).headers, ['content-type', 'application/json']],
      body: [NOT_UTF8],
      framing: 'length',
    };
    ledger.take(
      await strike(relay.port, shot, { limitMs: LIMIT_MS }),
      {},
      `bytes that are no UTF-8 at ${nameOf(route)}`,
    );
  }
}

/** Many requests in one write: each is answered, in order. */
async function pipelined({ relay, ledger, ...scene }: Scene, apiKey: string): Promise<void> {
  const count = scaled(PIPELINED, { ...scene, relay, ledger });
  const { head, body } = headAndBody(apiKey, rpcText('tasks/list', {}));
  const one = Buffer.concat([Buffer.from(head), body]);
  const { answers, statuses } = await replies(
    relay.port,
    Buffer.concat(Array.from({ length: count }, () => one)),
    count,
  );
  ledger.claim('pipelined requests are all answered', answers === count, `${answers} of ${count}, ${statuses}`);
  const smuggled = Buffer.from(
    'POST /a2a HTTP/1.1\r\nhost: relay\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nhost: relay\r\n\r\n',
  );
  const both = await replies(relay.port, smuggled, 2);
  ledger.claim(
    'a length together with chunks is refused, and nothing after it answered',
    both.answers <= 1 && !both.statuses.includes('200'),
    `${both.answers} answers, ${both.statuses}`,
  );
}

/** Counts the answers on one connection until there are so many, or it is closed, or nothing comes for a while. */
function replies(port: number, bytes: Buffer, wanted: number): Promise<{ answers: number; statuses: string }> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let text = '';
    const done = (): void => {
      const statuses = text.match(/HTTP\/1\.1 \d{3} /g) ?? [];
      socket.destroy();
      clearTimeout(timer);
      resolve({
        answers: statuses.length,
        statuses: [...new Set(statuses.map((line) => line.slice(9, 12)))].join(', '),
      });
    };
    const timer = setTimeout(done, LIMIT_MS);
    socket.on('error', () => undefined).on('close', done);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if ((text.match(/HTTP\/1\.1 \d{3} /g) ?? []).length >= wanted) done();
    });
    socket.write(bytes);
  });
}

/** Clients that ask before they send. */
async function continues({ relay, ledger }: Scene, apiKey: string): Promise<void> {
  const ask = (authorization: string, length: number): string =>
    `POST /a2a HTTP/1.1\r\nhost: relay\r\n${authorization}content-type: application/json\r\nexpect: 100-continue\r\ncontent-length: ${length}\r\n\r\n`;
  // Node.js itself tells them to go on; what counts is that the refusal comes before the body.
  const anonymous = await replies(relay.port, Buffer.from(ask('', 4_000_000)), 2);
  ledger.claim(
    'who asks to go on without a credential is refused',
    anonymous.statuses.endsWith('401'),
    anonymous.statuses,
  );
  const known = await replies(relay.port, Buffer.from(ask(`authorization: Bearer ${apiKey}\r\n`, 100)), 1);
  ledger.claim('who asks to go on with a key is told to', known.statuses === '100', known.statuses);
  const large = await replies(relay.port, Buffer.from(ask(`authorization: Bearer ${apiKey}\r\n`, 40_000_000)), 2);
  ledger.claim('who asks to go on with too much is refused', large.statuses.endsWith('413'), large.statuses);
}

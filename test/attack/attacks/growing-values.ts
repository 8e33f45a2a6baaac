import type { TestAgent } from '../../../libs/testing/src/test-agent';
import { Caller } from '../../bench/load';
import { atMost } from '../../bench/table';
import { rpcShot } from '../calls';
import { type Attack, register, type Scene, scaled } from '../scene';
import { strike } from '../strike';

const MIB = 1_048_576;
const KIB = 1_024;
/** What stands around the values of an answer. */
const AROUND = 64 * KIB;
/** What is stored may come back with a little more around it, never multiplied. */
const GROWTH = 2;
const ANSWER_BYTES = 8 * MIB;
const DATABASE_BYTES = 16 * MIB;
const VALUES = [
  '1e300',
  '1e15',
  '1e-7',
  '5e-324',
  '0.1',
  '1E+20',
  '1.5e-300',
  '""',
  '[]',
  '{}',
  '"\\u0001"',
  '"\\u2028"',
  '"\\ud83d\\ude00"',
  '"\u{1f642}"',
];
const TEAM = 400;

/** What is small when it is sent and large when it is answered: numbers, escapes, and cards that add up in one list. */
export const growingValues: Attack = {
  name: 'values that grow',
  async run(scene) {
    const sender = await register(scene, 'grower@acme');
    const recipient = await register(scene, 'grown@acme');
    const worst = { ratio: 0, shown: '–' };
    for (const value of VALUES) {
      const grown = await growthOf(scene, sender, recipient, value);
      if (grown === undefined) continue;
      scene.say(`  ${value}: ${grown.shown}`);
      if (grown.ratio > worst.ratio) Object.assign(worst, { ratio: grown.ratio, shown: `${value}: ${grown.shown}` });
    }
    scene.ledger.figure(
      'bytes moved and answered for what was sent, worst value',
      worst.ratio,
      worst.shown,
      atMost(GROWTH, `${GROWTH} × what was sent, and ${AROUND / KIB} KiB`),
    );
    await largeRoster(scene);
  },
};

interface Grown {
  ratio: number;
  shown: string;
}

/** Sends as many of a value as one message may hold; undefined when they are refused. */
async function growthOf(
  scene: Scene,
  sender: TestAgent,
  recipient: TestAgent,
  value: string,
): Promise<Grown | undefined> {
  const { relay } = scene;
  const list = (bytes: number): string =>
    `[${Array.from({ length: Math.min(24_000, Math.floor(bytes / (value.length + 1))) }, () => value).join()}]`;
  const artifact = `{"type":"api_contract","inline":{"a":${list(240 * KIB)}}}`;
  const params = `{"recipient":"${recipient.handle}","message":{"role":"user","parts":[{"type":"text","text":"x"}]},"payload":{"a":${list(60 * KIB)}},"metadata":{"a":${list(12 * KIB)}},"artifacts":[${artifact},${artifact}]}`;
  const body = `{"jsonrpc":"2.0","id":1,"method":"message/send","params":${params}}`;
  const { status, reply } = await strike(relay.port, rpcShot(sender.apiKey, body));
  if (status !== 200) {
    scene.say(`  ${value}: refused with ${status} ${reply?.body.toString('utf8', 0, 160) ?? ''}`);
    scene.ledger.claim(`${value} is taken or refused by name`, status === 400, `status ${status}`);
    return undefined;
  }
  const { task_id } = (JSON.parse(reply!.body.toString()) as { result: { task_id: string } }).result;
  const caller = new Caller(relay.url);
  const before = relay.bytesRead;
  const { text } = await caller.call({ apiKey: recipient.apiKey, method: 'tasks/get', params: { task_id } });
  const moved = relay.bytesRead - before;
  caller.close();
  const answered = Buffer.byteLength(text);
  const sent = Buffer.byteLength(body);
  const kib = (bytes: number): number => Math.round(bytes / KIB);
  return {
    ratio: (Math.max(moved, answered) - AROUND) / sent,
    shown: `${kib(sent)} KiB sent, ${kib(moved)} KiB read from the database, ${kib(answered)} KiB answered`,
  };
}

/** Cards as large as they go, all of them in one answer. */
async function largeRoster(scene: Scene): Promise<void> {
  const { relay, ledger } = scene;
  const wide = (length: number): string => '\u{1f642}'.repeat(length);
  const card = {
    description: wide(2_000),
    skills: Array.from({ length: 50 }, (_, n) => `${n}${wide(57)}`),
    repos_owned: Array.from({ length: 100 }, (_, n) => `${n}${wide(196)}`),
  };
  let asked = '';
  for (let n = 0; n < scaled(TEAM, scene, 100); n++) {
    const agent = await register(scene, `card-${n}@acme`);
    // Half of a card may be more than the route takes.
    const { status } = await agent.rest('PUT', '/agents/me/card', card);
    if (status === 413)
      await agent.rest('PUT', '/agents/me/card', { ...card, repos_owned: card.repos_owned.slice(0, 55) });
    asked = agent.apiKey;
  }
  const reads: [name: string, path: string, key: string][] = [
    ['the roster', '/agents', asked],
    ['the administrators’ list', '/admin/agents?limit=200', relay.adminToken],
  ];
  for (const [name, path, key] of reads) {
    const before = relay.bytesRead;
    const response = await fetch(`${relay.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
    bounded(scene, name, (await response.arrayBuffer()).byteLength, relay.bytesRead - before, response.status);
  }
  const caller = new Caller(relay.url);
  const before = relay.bytesRead;
  const { status, text } = await caller.call({ apiKey: asked, method: 'agents/list', params: {} });
  bounded(scene, 'agents/list without a page', Buffer.byteLength(text), relay.bytesRead - before, status);
  caller.close();
  ledger.claim('the roster says that there is more', text.includes('"next_cursor":"'), text.slice(-80));
}

function bounded({ ledger }: Scene, name: string, answered: number, moved: number, status: number): void {
  const mib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;
  ledger.figure(
    `${name} of large cards, answered`,
    answered,
    `${mib(answered)}, status ${status}`,
    atMost(ANSWER_BYTES + AROUND, '8 MiB'),
  );
  ledger.figure(`${name} of large cards, read from the database`, moved, mib(moved), atMost(DATABASE_BYTES, '16 MiB'));
}

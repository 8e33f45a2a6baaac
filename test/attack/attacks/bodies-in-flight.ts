import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestAgent } from '../../../libs/testing/src/test-agent';
import { atMost } from '../../bench/table';
import { ReplyReader } from '../../fuzz/http-wire';
import { handoffOf, headAndBody } from '../calls';
import { type Attack, register, type Scene } from '../scene';

const MIB = 1_048_576;
const BODY_BYTES = 3.9 * MIB;
/** What one agent may have in work on a replica, and all together. */
const ONE_AGENT = 16 * MIB;
const ALL_AGENTS = 64 * MIB;
/** A body that is refused is read a little further, each in steps of 64 KiB; upkeep reads too. */
const BESIDE = 4 * MIB;
const SETTLE_MS = 3_000;

/** Bodies that are sent but for their last byte, many at once; then all of them end together. */
export const bodiesInFlight: Attack = {
  name: 'bodies in flight',
  async run(scene) {
    const target = await register(scene, 'target@acme');
    const agents: TestAgent[] = [];
    for (let n = 0; n < 8; n++) agents.push(await register(scene, `holder-${n}@acme`));
    await hold(scene, 'one agent', agents.slice(0, 1), 12, target, ONE_AGENT);
    await hold(scene, 'eight agents', agents, 5, target, ALL_AGENTS);
  },
};

interface Held {
  socket: Socket;
  status: () => number | undefined;
  finish: () => void;
  ended: Promise<unknown>;
}

async function hold(
  scene: Scene,
  who: string,
  agents: TestAgent[],
  each: number,
  target: TestAgent,
  allowed: number,
): Promise<void> {
  const { relay, ledger, say } = scene;
  const before = relay.bytesRead;
  const held = agents.flatMap(({ apiKey }) =>
    Array.from({ length: each }, () => holdOne(relay.port, apiKey, target.handle)),
  );
  await pause(SETTLE_MS);
  const read = relay.bytesRead - before;
  const offered = Math.round((held.length * BODY_BYTES) / MIB);
  ledger.figure(
    `bytes read of ${offered} MiB that ${who} sent but did not end`,
    read,
    `${Math.round(read / MIB)} MiB`,
    atMost(allowed + BESIDE, `${allowed / MIB} MiB, and a little of each that is refused`),
  );
  // One agent's bodies leave room for others'.
  if (agents.length === 1) {
    const other = await register(scene, 'other-b@acme');
    const { status } = await other.rpc('tasks/list', {});
    const big = await other.post(handoffOf(target.handle, BODY_BYTES));
    ledger.claim(
      'another agent sends as much meanwhile',
      status === 200 && big.status === 200,
      `${status}, ${big.status}`,
    );
  }
  for (const { finish } of held) finish();
  await Promise.race([Promise.all(held.map(({ ended }) => ended)), pause(30_000)]);
  const outcomes: Record<string, number> = {};
  for (const { socket, status } of held) {
    const name = String(status() ?? 'closed');
    outcomes[name] = (outcomes[name] ?? 0) + 1;
    socket.destroy();
  }
  say(`  ${who}: ${JSON.stringify(outcomes)}, peak ${Math.round(relay.peakMiB)} MiB`);
  const good = Object.keys(outcomes).every((name) => ['200', '503', '429', 'closed'].includes(name));
  ledger.claim(
    `bodies of ${who} are taken or told to come back`,
    good && (outcomes['200'] ?? 0) > 0,
    JSON.stringify(outcomes),
  );
}

/** Sends everything but the last byte. */
function holdOne(port: number, apiKey: string, recipient: string): Held {
  const { head, body } = headAndBody(apiKey, handoffOf(recipient, BODY_BYTES));
  const socket = connect({ host: '127.0.0.1', port });
  const reading = new ReplyReader(false);
  let status: number | undefined;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const look = (over: boolean): void => {
    status ??= reading.reply(over)?.status;
    if (status !== undefined || over) end();
  };
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    reading.take(chunk);
    look(false);
  });
  socket.on('close', () => look(true));
  socket.on('connect', () => {
    socket.write(head);
    socket.write(body.subarray(0, -1));
  });
  return { socket, status: () => status, finish: () => socket.write(body.subarray(-1)), ended };
}

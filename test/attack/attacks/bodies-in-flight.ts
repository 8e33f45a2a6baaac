import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestAgent } from '../../../libs/testing/src/test-agent';
import { atMost } from '../../bench/table';
import { ReplyReader } from '../../fuzz/http-wire';
import { SHAPES } from '../bodies';
import { handoffOf, headAndBody } from '../calls';
import { type Attack, register, type Scene, scaled } from '../scene';

const MIB = 1_048_576;
const BODY_BYTES = 3.9 * MIB;
/** What one agent may have in work on a replica, and all together. */
const ONE_AGENT = 16 * MIB;
const ALL_AGENTS = 64 * MIB;
const SETTLE_MS = 2_000;
const SETTLED_WITHIN_MS = 60_000;
/** Shapes that cost much to read: they too end all at once. */
const HOSTILE = ['list of zeros', 'nested objects', 'many keys'];

/** Bodies that are sent but for their last byte, many at once; then all of them end together. */
export const bodiesInFlight: Attack = {
  name: 'bodies in flight',
  async run(scene) {
    const target = await register(scene, 'target@acme');
    const agents: TestAgent[] = [];
    for (let n = 0; n < 8; n++) agents.push(await register(scene, `holder-${n}@acme`));
    const honest = handoffOf(target.handle, BODY_BYTES);
    await hold(scene, {
      who: 'one agent',
      agents: agents.slice(0, 1),
      each: 12,
      text: honest,
      allowed: ONE_AGENT,
      good: '200',
    });
    await othersSend(scene, agents[0]!, target);
    await hold(scene, { who: 'eight agents', agents, each: 5, text: honest, allowed: ALL_AGENTS, good: '200' });
    for (const shape of HOSTILE.slice(0, scaled(HOSTILE.length, scene))) {
      const params = `{"recipient":"${target.handle}","zz":${SHAPES[shape]!(BODY_BYTES - 200)}}`;
      const text = `{"jsonrpc":"2.0","id":1,"method":"message/send","params":${params}}`;
      await hold(scene, { who: `eight agents, ${shape}`, agents, each: 5, text, allowed: ALL_AGENTS, good: '400' });
    }
  },
};

interface Plan {
  who: string;
  agents: TestAgent[];
  /** Bodies of each agent. */
  each: number;
  text: string;
  /** Bytes that may be in work at once. */
  allowed: number;
  /** How a body is answered that was read to its end. */
  good: string;
}

/** Holds bodies open until no more is read, lets them end together, and counts how many were taken. */
async function hold(scene: Scene, { who, agents, each, text, allowed, good }: Plan): Promise<void> {
  const { relay, ledger, say } = scene;
  const before = relay.bytesRead;
  const held = agents.flatMap(({ apiKey }) => Array.from({ length: each }, () => holdOne(relay.port, apiKey, text)));
  const fit = Math.floor(allowed / BODY_BYTES);
  // Bodies are sent as fast as the machine can; once no more than fit are left, all of them are there but for their ends.
  const isSettled = (): boolean => held.filter(({ isOver }) => !isOver()).length <= fit;
  for (const end = Date.now() + SETTLED_WITHIN_MS; !isSettled() && Date.now() < end && relay.isRunning;)
    await pause(50);
  ledger.claim(
    `no more of ${who} are held than fit`,
    isSettled(),
    `${held.filter(({ isOver }) => !isOver()).length} of ${held.length} held`,
  );
  const read = relay.bytesRead - before;
  for (const { finish } of held) finish();
  await Promise.race([Promise.all(held.map(({ ended }) => ended)), pause(30_000)]);
  const outcomes: Record<string, number> = {};
  for (const { socket, status } of held) {
    const name = String(status() ?? 'closed');
    outcomes[name] = (outcomes[name] ?? 0) + 1;
    socket.destroy();
  }
  const offered = Math.round((held.length * BODY_BYTES) / MIB);
  say(
    `  ${who}: ${offered} MiB offered, ${Math.round(read / MIB)} read, ${JSON.stringify(outcomes)}, peak ${Math.round(relay.peakMiB)} MiB`,
  );
  const taken = outcomes[good] ?? 0;
  ledger.figure(
    `bodies of ${(BODY_BYTES / MIB).toFixed(1)} MiB taken at once from ${who}`,
    taken,
    `${taken} of ${held.length} (${JSON.stringify(outcomes)})`,
    atMost(fit, `what fits into ${allowed / MIB} MiB`),
  );
  const told = Object.keys(outcomes).every((name) => [good, '503', '429', 'closed'].includes(name));
  ledger.claim(
    `some bodies of ${who} are taken, others told to come back`,
    told && taken > 0,
    JSON.stringify(outcomes),
  );
}

/** One agent's bodies leave room for others'. */
async function othersSend(scene: Scene, holder: TestAgent, target: TestAgent): Promise<void> {
  const { relay, ledger } = scene;
  const text = handoffOf(target.handle, BODY_BYTES);
  const held = Array.from({ length: 8 }, () => holdOne(relay.port, holder.apiKey, text));
  await pause(SETTLE_MS);
  const other = await register(scene, 'other-b@acme');
  const small = await other.rpc('tasks/list', {});
  const big = await other.post(text);
  ledger.claim(
    'another agent sends as much meanwhile',
    small.status === 200 && big.status === 200,
    `${small.status}, ${big.status}`,
  );
  for (const { socket } of held) socket.destroy();
  await pause(500);
}

interface Held {
  socket: Socket;
  status: () => number | undefined;
  /** It was answered, or the connection was closed. */
  isOver: () => boolean;
  finish: () => void;
  ended: Promise<unknown>;
}

/** Sends everything but the last byte. */
function holdOne(port: number, apiKey: string, text: string): Held {
  const { head, body } = headAndBody(apiKey, text);
  const socket = connect({ host: '127.0.0.1', port });
  const reading = new ReplyReader(false);
  let status: number | undefined;
  let isOver = false;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const look = (over: boolean): void => {
    status ??= reading.reply(over)?.status;
    isOver ||= status !== undefined || over;
    if (isOver) end();
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
  return { socket, status: () => status, isOver: () => isOver, finish: () => socket.write(body.subarray(-1)), ended };
}

import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { atMost } from '../../bench/table';
import { handoffOf, rpcShot } from '../calls';
import { type Attack, register, type Scene, scaled } from '../scene';
import { strike } from '../strike';

const REQUEST_TIMEOUT_MS = 5_000;
/** The relay looks for slow clients every 5 s, and its answer takes its time too. */
const CLOSED_MS = REQUEST_TIMEOUT_MS + 8_000;
const HEADS = 400;
const BODIES = 150;
const EVERY_MS = 500;
const SLOWER = 10;
const LEAST_IDLE_MS = 2;

/** Connections whose heads and bodies never come to an end. */
export const slowSenders: Attack = {
  name: 'slow heads and bodies',
  settings: { RELAY_REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS) },
  async run(scene) {
    const slow = await register(scene, 'slow@acme');
    const other = await register(scene, 'other-s@acme');
    const head = 'POST /a2a HTTP/1.1\r\nhost: relay\r\n';
    const body = (key: string): string =>
      `${head}authorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: 4000000\r\n\r\n[`;
    const kinds: [name: string, start: string, count: number][] = [
      ['heads', head, scaled(HEADS, scene)],
      ['bodies with a key', body(slow.apiKey), scaled(BODIES, scene)],
      ['bodies without a key', body('ar_live_x'), scaled(BODIES, scene)],
      ['connections that say nothing', '', scaled(BODIES, scene)],
    ];
    const open = kinds.map(([name, start, count]) => ({
      name,
      sockets: Array.from({ length: count }, () => drip(scene, start)),
    }));
    const since = Date.now();
    await beside(scene, slow.apiKey, other.apiKey);
    await pause(Math.max(0, CLOSED_MS - (Date.now() - since)));
    for (const { name, sockets } of open) {
      const left = sockets.filter(({ destroyed }) => !destroyed).length;
      scene.ledger.figure(
        `slow ${name} still open after ${CLOSED_MS / 1_000} s`,
        left,
        `${left} of ${sockets.length}`,
        atMost(0, 'none'),
      );
      for (const socket of sockets) socket.destroy();
    }
  },
};

/** Sends the start, and one byte now and then. */
function drip({ relay }: Scene, start: string): Socket {
  const socket = connect({ host: '127.0.0.1', port: relay.port });
  socket.on('error', () => undefined).on('data', () => undefined);
  socket.on('end', () => socket.destroy());
  socket.on('connect', () => {
    if (start === '') return;
    socket.write(start);
    const timer = setInterval(() => socket.write(start.endsWith('[') ? '1' : 'x'), EVERY_MS);
    socket.on('close', () => clearInterval(timer));
  });
  return socket;
}

/** Others are served meanwhile, and so is the agent whose bodies do not come. */
async function beside(scene: Scene, slowKey: string, otherKey: string): Promise<void> {
  const { relay, ledger, bystander } = scene;
  const sends = async (): Promise<void> => {
    await pause(500);
    for (const [name, key] of [
      ['another agent', otherKey],
      ['the same agent', slowKey],
    ] as const) {
      const struck = await strike(relay.port, rpcShot(key, handoffOf('other-s@acme', 1_000_000)));
      // Nobody sends a handoff to himself: for the other agent a refusal of what was read is an answer as good.
      ledger.claim(
        `${name} can send 1 MB meanwhile`,
        [200, 400].includes(Number(struck.status)),
        `status ${struck.status}`,
      );
    }
    await pause(1_500);
  };
  if (bystander === undefined) return sends();
  const watched = await bystander.during({ url: relay.url, apiKey: otherKey }, sends);
  const idle = await bystander.during({ url: relay.url, apiKey: otherKey }, () => pause(1_500));
  ledger.speed(
    'another agent’s list meanwhile, p95',
    watched.p95 / Math.max(idle.p95, LEAST_IDLE_MS),
    `${watched.p95.toFixed(1)} ms, later ${idle.p95.toFixed(1)} ms`,
    atMost(SLOWER, `${SLOWER} ×`),
  );
}

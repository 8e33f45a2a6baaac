import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { atMost } from '../../bench/table';
import { type Attack, inParallel, register, scaled } from '../scene';

const CONNECTIONS = 4_000;
const AT_ONCE = 100;
const WATCH_MS = 3_000;
const SLOWER = 10;
const LEAST_IDLE_MS = 2;
const PROBE = 'GET /healthz HTTP/1.1\r\nhost: relay\r\n\r\n';

/** Thousands of connections, half of which have asked for something and stay open. */
export const manyConnections: Attack = {
  name: 'thousands of connections',
  async run(scene) {
    const { relay, ledger, bystander } = scene;
    const other = await register(scene, 'other-c@acme');
    const order = { url: relay.url, apiKey: other.apiKey };
    const idle = await bystander?.during(order, () => pause(WATCH_MS));
    const sockets: Socket[] = [];
    let answered = 0;
    const open = (ask: boolean): Promise<void> =>
      new Promise((resolve) => {
        const socket = connect({ host: '127.0.0.1', port: relay.port }, () => {
          if (ask) socket.write(PROBE);
          else resolve();
        });
        sockets.push(socket);
        socket.once('data', () => {
          answered++;
          resolve();
        });
        socket.on('error', () => resolve());
      });
    const count = scaled(CONNECTIONS, scene);
    const work = async (): Promise<void> => {
      await inParallel(Array(count).keys(), AT_ONCE, (n) => open(n % 2 === 0));
      await pause(WATCH_MS);
    };
    const watched = bystander === undefined ? await work() : await bystander.during(order, work);
    ledger.claim(
      'each that asks is answered',
      answered === Math.ceil(count / 2),
      `${answered} of ${Math.ceil(count / 2)}`,
    );
    const { status } = await other.rpc('tasks/list', {});
    ledger.claim(`others are served beside ${count}`, status === 200, `status ${status}`);
    if (watched !== undefined && idle !== undefined) {
      ledger.speed(
        'another agent’s list meanwhile, p95',
        watched.p95 / Math.max(idle.p95, LEAST_IDLE_MS),
        `${watched.p95.toFixed(1)} ms, idle ${idle.p95.toFixed(1)} ms`,
        atMost(SLOWER, `${SLOWER} × idle`),
      );
    }
    for (const socket of sockets) socket.destroy();
  },
};

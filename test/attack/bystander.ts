import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { Caller } from '../bench/load';
import { percentile } from '../bench/table';

/** The word that makes the program be a bystander instead. */
export const BYSTANDER = 'bystander';
const EVERY_MS = 15;

export interface Watched {
  calls: number;
  /** Answers other than 200. */
  refused: number;
  p50: number;
  p95: number;
}

interface Order {
  url: string;
  apiKey: string;
}

/** Another agent that lists its handoffs all the while, in a process of its own so that the attack does not slow it itself. */
export class Bystander {
  private constructor(private readonly child: ChildProcess) {}

  static start(): Bystander {
    return new Bystander(fork(process.argv[1] ?? '', [BYSTANDER], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
  }

  /** What its calls took while `work` was done. */
  async during(order: Order, work: () => Promise<unknown>): Promise<Watched> {
    this.child.send(order);
    try {
      await work();
    } finally {
      this.child.send('enough');
    }
    return new Promise((resolve) => this.child.once('message', (watched) => resolve(watched as Watched)));
  }

  stop(): void {
    this.child.kill();
  }
}

/** The bystander's own program: calls while it is told to, and tells what it took. */
export function beBystander(): void {
  let calling = false;
  process.on('message', (message) => {
    if (message === 'enough') {
      calling = false;
      return;
    }
    calling = true;
    void watch(message as Order, () => calling).then((watched) => process.send?.(watched));
  });
  process.on('disconnect', () => process.exit());
}

async function watch({ url, apiKey }: Order, goesOn: () => boolean): Promise<Watched> {
  const caller = new Caller(url);
  const times: number[] = [];
  let refused = 0;
  while (goesOn() || times.length === 0) {
    const since = performance.now();
    const params = { filter: { role: 'any' }, page: { limit: 20 }, peek: true };
    const status = await caller.call({ apiKey, method: 'tasks/list', params }).then(
      (reply) => reply.status,
      () => 0,
    );
    times.push(performance.now() - since);
    if (status !== 200) refused++;
    if (status === 0 && !goesOn()) break;
    await pause(EVERY_MS);
  }
  caller.close();
  return { calls: times.length, refused, p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
}

import { type ChildProgram, eventually, freePort, testSettings, type TestAgent, useRelay } from '@agentrelay/testing';
import type { WireEvents, WireList } from '@agentrelay/protocol';
import { ReadinessBalancer } from './readiness-balancer';
import { startRelayProcess } from './relay-process';
import { ResumingReader } from './resuming-reader';

const EVERY_MS = 10;
/** What a deployment gives a replica to end before it is killed. */
const GRACE_MS = 10_000;

const relay = useRelay();
const balancer = new ReadinessBalancer();
const programs: ChildProgram[] = [];
const readers: ResumingReader[] = [];

afterEach(() => {
  for (const reader of readers) reader.close();
  balancer.close();
  for (const program of programs) program.kill('SIGKILL');
});

async function startReplica(): Promise<ChildProgram> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const environment = {
    ...testSettings(relay.database.url),
    PORT: String(port),
    // Many times what the balancer needs to notice.
    RELAY_SHUTDOWN_DELAY_MS: '1000',
    RELAY_LIMIT_WAITERS_PER_KEY: '1000',
  };
  const program = await startRelayProcess(environment, url);
  programs.push(program);
  balancer.add(url);
  return program;
}

describe('a rolling restart under 100 requests a second', () => {
  it('fails no request, and a reader of the stream has every event once', async () => {
    const url = await balancer.listen();
    const old = [await startReplica(), await startReplica()];
    const bob = (await relay.agent('bob@acme')).at(url);
    const frank = (await relay.agent('frank@acme')).at(url);
    const reader = await ResumingReader.open(frank);
    readers.push(reader);
    const load = new Load(bob, frank, (await bob.send('frank@acme')).task_id);

    for (const program of old) {
      program.kill('SIGTERM');
      const asked = performance.now();
      expect(await program.exit()).toBe(0);
      expect(performance.now() - asked).toBeLessThan(GRACE_MS);
      await startReplica();
    }
    await eventually('each kind was answered many times', () => load.least > 50, 60_000);
    await load.stop();

    expect(load.failures).toEqual([]);
    const log = await allEvents(frank);
    await eventually('the reader has read all', () => reader.count >= log.length);
    reader.close();
    await eventually('the last stream is counted', () => reader.events.length >= log.length);
    expect(reader.events.map(({ id }) => id)).toEqual(log);
    expect(reader.ended.length).toBeGreaterThan(0);
    for (const raw of reader.ended) expect(raw).toMatch(/retry: \d+\n\n$/);
  }, 120_000);
});

/** A request every 10 ms, whatever became of those before; each kind in turn. */
class Load {
  readonly failures: string[] = [];
  private readonly answered: Record<string, number> = {};
  private readonly names: string[];
  private readonly open = new Set<Promise<void>>();
  private readonly timer: NodeJS.Timeout;
  private made = 0;

  constructor(bob: TestAgent, frank: TestAgent, threadId: string) {
    const kinds: Record<string, () => Promise<unknown>> = {
      send: () => bob.send('frank@acme'),
      get: () => frank.get(threadId),
      list: () => frank.call<WireList>('tasks/list', { page: { limit: 10 } }),
      append: () => bob.append(threadId, 'One more thing.'),
      wait: () => bob.call<WireEvents>('events/list', { cursor: 'now', wait_ms: 100 }),
    };
    this.names = Object.keys(kinds);
    this.timer = setInterval(() => {
      const name = this.names[this.made++ % this.names.length]!;
      const call = this.make(name, kinds[name]!).finally(() => this.open.delete(call));
      this.open.add(call);
    }, EVERY_MS);
  }

  /** How many calls of the kind that has the fewest were answered. */
  get least(): number {
    return Math.min(...this.names.map((name) => this.answered[name] ?? 0));
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.open);
  }

  private async make(name: string, call: () => Promise<unknown>): Promise<void> {
    try {
      await call();
      this.answered[name] = (this.answered[name] ?? 0) + 1;
    } catch (error) {
      this.failures.push(`${name}: ${String(error)} ${String((error as Error).cause)}`);
    }
  }
}

/** The ids of all events of an agent's threads, in the order of the log. */
async function allEvents(agent: TestAgent): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await agent.call<WireEvents>('events/list', { cursor, limit: 200, include_own: true });
    if (page.events.length === 0) return ids;
    ids.push(...page.events.map(({ id }) => id));
    cursor = page.cursor;
  }
}

import { bootRelay, type RunningRelay } from '../../../apps/relay/src/boot';
import { AlternatingProxy } from './alternating-proxy';
import { registerAgent } from './register-agent';
import { type Answer, restCall, type TestAgent } from './test-agent';
import { type TestDatabase, workerDatabase } from './test-database';

export const TEST_ADMIN_TOKEN = 'test-admin-token-of-at-least-32-characters';

/** Settings of a relay under test; the relay itself is the real one. */
export function testSettings(databaseUrl: string): Record<string, string> {
  return {
    RELAY_ENV: 'test',
    PORT: '0',
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '10',
    RELAY_KEY_PEPPERS: 'p1:test-pepper-of-at-least-32-characters!',
    RELAY_ADMIN_TOKEN: TEST_ADMIN_TOKEN,
    LOG_LEVEL: 'silent',
    RELAY_RATE_PER_MINUTE: '1000000',
    RELAY_RATE_BURST: '1000000',
    RELAY_FAILED_AUTH_PER_MINUTE: '1000000',
  };
}

/** With TEST_REPLICAS=2 every test relay is two, and requests go to them in turn. */
const REPLICAS = Number(process.env['TEST_REPLICAS'] ?? 1);

/** A relay in this process, on a database of this Jest worker. */
export class TestRelay {
  private running: RunningRelay | undefined;
  private worker: TestDatabase | undefined;
  private proxy: AlternatingProxy | undefined;
  private proxyUrl: string | undefined;
  private registered = 0;
  private readonly replicas: RunningRelay[] = [];

  constructor(private readonly overrides: Record<string, string>) {}

  get url(): string {
    return this.proxyUrl ?? this.started.url;
  }

  /** The address of one replica, for what is counted on each by itself. */
  get replicaUrl(): string {
    return this.started.url;
  }

  get app(): RunningRelay['app'] {
    return this.started.app;
  }

  get database(): TestDatabase {
    if (this.worker === undefined) throw new Error('The test relay has not started.');
    return this.worker;
  }

  async start(): Promise<void> {
    this.worker = await workerDatabase();
    if (REPLICAS > 1) {
      this.proxy = new AlternatingProxy();
      this.proxyUrl = await this.proxy.listen();
    }
    const publicUrl = this.proxyUrl === undefined ? {} : { RELAY_PUBLIC_URL: this.proxyUrl };
    this.running = await bootRelay({ ...testSettings(this.worker.url), ...publicUrl, ...this.overrides });
    const urls = [this.running.url];
    while (urls.length < REPLICAS) urls.push((await this.replica({ ...publicUrl, ...this.overrides })).url);
    this.proxy?.passTo(urls);
  }

  async stop(): Promise<void> {
    this.proxy?.close();
    // A test that failed half-way has left its replicas behind.
    for (const { app } of this.replicas) if (app.getHttpServer().listening) await app.close();
    await this.running?.app.close();
    await this.worker?.close();
  }

  /** Another replica on the same database. The caller closes it when it should end before the file does. */
  async replica(overrides: Record<string, string> = {}): Promise<RunningRelay> {
    const replica = await bootRelay({ ...testSettings(this.database.url), ...this.overrides, ...overrides });
    this.replicas.push(replica);
    return replica;
  }

  /** Any route with the admin token. */
  admin<Body = Record<string, unknown>>(method: string, path: string, body?: object): Promise<Answer<Body>> {
    return restCall<Body>(this.url, TEST_ADMIN_TOKEN, method, path, body);
  }

  /** Any route without a credential. */
  anonymous<Body = unknown>(method: string, path: string, body?: object): Promise<Answer<Body>> {
    return restCall<Body>(this.url, undefined, method, path, body);
  }

  /** Registers an agent; without a handle one of its own. */
  agent(handle = `agent${++this.registered}@acme`, profile: object = {}): Promise<TestAgent> {
    return registerAgent(this.url, TEST_ADMIN_TOKEN, handle, profile);
  }

  /** Two teammates: bob, who sends, and frank, who receives. */
  async pair(): Promise<{ bob: TestAgent; frank: TestAgent }> {
    return { bob: await this.agent('bob@acme'), frank: await this.agent('frank@acme') };
  }

  /** The same participant with a key in the hand of a person. */
  async humanOf(agent: TestAgent): Promise<TestAgent> {
    const terms = { principal: 'human', label: 'laptop' };
    const { body } = await this.admin<{ api_key: string }>('POST', `/admin/agents/${agent.handle}/keys`, terms);
    return agent.withKey(body.api_key);
  }

  private get started(): RunningRelay {
    if (this.running === undefined) throw new Error('The test relay has not started.');
    return this.running;
  }
}

/** As `useRelay`, with replicas on the same database; `urlOf(n)` gives their addresses in turn. */
export function useReplicas(
  count: number,
  overrides: Record<string, string> = {},
): { relay: TestRelay; urlOf: (n: number) => string } {
  const relay = useRelay(overrides);
  const others: RunningRelay[] = [];
  beforeAll(async () => {
    for (let i = 1; i < count; i++) others.push(await relay.replica());
  });
  afterAll(async () => {
    for (const { app } of others) await app.close();
  });
  return { relay, urlOf: (n) => [relay.url, ...others.map(({ url }) => url)][n % count] ?? relay.url };
}

/** A relay for the tests of this file: started before them, emptied before each, stopped after. */
export function useRelay(overrides: Record<string, string> = {}): TestRelay {
  const relay = new TestRelay(overrides);
  beforeAll(() => relay.start());
  beforeEach(() => relay.database.truncate());
  afterAll(() => relay.stop());
  return relay;
}

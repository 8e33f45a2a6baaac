import {
  eventually,
  EventStreamReader,
  registerAgent,
  restCall,
  TEST_ADMIN_TOKEN,
  type TestAgent,
  TestDatabase,
  testSettings,
  text,
} from '@agentrelay/testing';
import { Module } from '@nestjs/common';
import sql from 'sql-template-tag';
import { bootRelay, type RunningRelay } from '../../apps/relay/src/boot';
import type { Transaction } from '../../apps/relay/src/database';
import {
  decodeEventCursor,
  EventSubscriber,
  type EventSubscription,
  type EventView,
} from '../../apps/relay/src/events';
import { StreamingPair } from './streaming-pair';

@EventSubscriber('failover-signals')
class Signals implements EventSubscription {
  async handle(events: readonly EventView[], transaction: Transaction): Promise<void> {
    await transaction.query(sql`INSERT INTO signals SELECT unnest(${events.map(({ id }) => id)}::uuid[])`);
  }
}
@Module({ providers: [Signals] })
class SignalsModule {}

/** Follows the log by long poll, and starts afresh when its cursor has expired, as a client does. */
class Follower {
  readonly seen = new Set<string>();
  expired = 0;
  private stopping = false;
  private cursor: string | undefined;
  private readonly following: Promise<void>;

  constructor(private readonly agent: TestAgent) {
    this.following = this.follow();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.following;
  }

  private async follow(): Promise<void> {
    while (!this.stopping) {
      const params = { wait_ms: 500, ...(this.cursor === undefined ? {} : { cursor: this.cursor }) };
      const { body } = await this.agent.rpc('events/list', params);
      const answer = body as {
        result?: { events: { task_id?: string }[]; cursor: string };
        error?: { data: { code: string } };
      };
      if (answer.result !== undefined) {
        this.cursor = answer.result.cursor;
        for (const { task_id } of answer.result.events) this.seen.add(task_id ?? '');
      } else if (answer.error?.data.code === 'cursor_expired') {
        this.expired++;
        this.cursor = undefined;
      } else if (answer.error?.data.code !== 'unavailable') {
        throw new Error(`The reader was answered ${answer.error?.data.code ?? 'nothing'}.`);
      }
    }
  }
}

let pair: StreamingPair;
let relays: RunningRelay[] = [];

beforeAll(async () => {
  pair = await StreamingPair.start();
  await pair.createDatabase();
  relays = [await start()];
  const database = new TestDatabase(pair.url);
  await database.query('CREATE TABLE signals (event_id uuid PRIMARY KEY)');
  await database.close();
  relays.push(await start());
}, 120_000);

afterAll(async () => {
  for (const { app } of relays) await app.close();
  await pair.stop();
}, 60_000);

function start(): Promise<RunningRelay> {
  return bootRelay({ ...testSettings(pair.url), RELAY_STATEMENT_TIMEOUT_MS: '2000' }, [SignalsModule]);
}

const urlOf = (n: number): string => relays[n % relays.length]!.url;
const ready = async (): Promise<boolean> =>
  (await Promise.all(relays.map(async ({ url }) => (await fetch(`${url}/readyz`)).ok))).every(Boolean);

describe('a failover to an asynchronous standby that lost its tail', () => {
  it('under two running relays: every event written afterwards reaches every reader and subscriber, no restart', async () => {
    const bob = await registerAgent(urlOf(0), TEST_ADMIN_TOKEN, 'bob@acme');
    const frank = await registerAgent(urlOf(0), TEST_ADMIN_TOKEN, 'frank@acme');
    const send = async (n: number): Promise<string> => (await bob.at(urlOf(n)).send(frank.handle)).task_id;
    const kept: string[] = [];
    for (let n = 0; n < 10; n++) kept.push(await send(n));
    await pair.caughtUp();
    pair.cutTail();
    const followers = [new Follower(frank.at(urlOf(0))), new Follower(frank.at(urlOf(1)))];
    const stream = await EventStreamReader.open(frank.at(urlOf(1)));
    const lost: string[] = [];
    for (let n = 0; n < 30; n++) lost.push(await send(n));
    await eventually('all readers have what will be lost', () =>
      followers.every(({ seen }) => lost.every((id) => seen.has(id))),
    );
    const { cursor: beyond } = await frank.events(40, { limit: 100 });

    const over = new AbortController();
    const meanwhile: string[] = [];
    const asking = (async () => {
      while (!over.signal.aborted) {
        const { body } = await bob
          .at(urlOf(meanwhile.length))
          .rpc('message/send', { recipient: 'frank@acme', message: text('x') });
        const { error } = body as { error?: { data: { code: string } } };
        meanwhile.push(error?.data.code ?? 'ok');
      }
    })();
    await pair.failOver();
    await eventually('both relays are ready', ready, 30_000);
    over.abort();
    await asking;
    expect([...new Set(meanwhile)].filter((code) => code !== 'ok' && code !== 'unavailable')).toEqual([]);

    const written: string[] = [];
    for (let n = 0; n < 30; n++) written.push(await send(n));
    await eventually('every reader has each of them', () =>
      followers.every(({ seen }) => written.every((id) => seen.has(id))),
    );
    expect(followers.map(({ expired }) => expired > 0)).toEqual([true, true]);
    for (const n of [0, 1])
      expect((await frank.at(urlOf(n)).refusal('events/list', { cursor: beyond })).symbol).toBe('cursor_expired');
    await eventually('the stream from before has ended', () => stream.ended);

    const database = new TestDatabase(pair.url);
    await eventually('the subscriber was told of every event, once', async () => {
      const [row] = await database.query<{ missing: number }>(
        `SELECT count(*)::integer AS missing FROM events WHERE handoff_id = ANY($1) AND id NOT IN (SELECT event_id FROM signals)`,
        [written],
      );
      return row!.missing === 0;
    });
    const [state] = await database.query<{ home: string; epoch: string }>(
      'SELECT system_identifier AS home, epoch_id AS epoch FROM relay_state',
    );
    expect(state!.home).toMatch(/^\d+\/2$/);
    expect(decodeEventCursor((await frank.events(1)).cursor).epoch).toBe(state!.epoch);
    await database.close();

    await Promise.all(followers.map((follower) => follower.stop()));
    const ending = await EventStreamReader.open(frank.at(urlOf(0)));
    await restCall(urlOf(1), TEST_ADMIN_TOKEN, 'POST', '/admin/agents/frank@acme/keys/rotate', { overlap_seconds: 0 });
    await eventually('the stream of the ended key has closed', () => ending.ended);
  }, 180_000);
});

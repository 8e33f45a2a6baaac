import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { WireEvent, WireEvents } from '@agentrelay/protocol';
import {
  ChildProgram,
  createDatabase,
  eventually,
  freePort,
  restCall,
  TEST_ADMIN_TOKEN,
  TestAgent,
  type TestDatabase,
  testSettings,
} from '@agentrelay/testing';
import { impossibilities } from '../model/impossibilities';
import { buildPreviousVersion } from './previous-version';

const run = promisify(execFile);
const CURRENT = join(__dirname, '../..');
const previous = buildPreviousVersion();
afterAll(() => previous.remove());

let database: TestDatabase;
const relays: { program: ChildProgram; url: string }[] = [];
beforeAll(async () => {
  database = await createDatabase('agentrelay_test_upgrade', 'empty');
});
afterAll(async () => {
  for (const { program } of relays) program.kill('SIGTERM');
  expect(await Promise.all(relays.map(({ program }) => program.exit()))).toEqual(relays.map(() => 0));
  await database.close();
});

function settings(): Record<string, string> {
  return {
    ...testSettings(database.url),
    RELAY_MIGRATE_ON_START: 'false',
    RELAY_EXTENSIONS: join(__dirname, 'told.js'),
  };
}

function migrate(checkout: string): Promise<unknown> {
  return run(process.execPath, [join(checkout, 'dist/apps/relay/src/migrate.js')], {
    env: { ...process.env, ...settings() },
  });
}

async function start(checkout: string): Promise<string> {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const program = ChildProgram.start(join(checkout, 'dist/apps/relay/src/main.js'), { ...settings(), PORT: port });
  relays.push({ program, url });
  await eventually(
    'it serves',
    () =>
      fetch(`${url}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      ),
    30_000,
  );
  return url;
}

async function register(url: string, handle: string): Promise<TestAgent> {
  const profile = { handle, email: `${handle}.example`, display_name: handle, role: 'developer' };
  const { body } = await restCall<{ agent_id: string; api_key: string }>(
    url,
    TEST_ADMIN_TOKEN,
    'POST',
    '/admin/agents',
    profile,
  );
  return new TestAgent(url, handle, body.agent_id, body.api_key);
}

/** One whole handoff, each call at the next of these replicas. */
async function wholeHandoff(bob: TestAgent, frank: TestAgent, urls: string[]): Promise<string> {
  let turn = 0;
  const next = () => urls[turn++ % urls.length]!;
  const { task_id } = await bob.at(next()).send(frank.handle);
  await frank.at(next()).accept(task_id);
  await bob.at(next()).append(task_id, 'One thing more.');
  await frank.at(next()).call('tasks/list');
  await frank.at(next()).complete(task_id);
  expect((await bob.at(next()).get(task_id)).messages.map(({ sequence_no }) => sequence_no)).toEqual([1, 2, 3]);
  return task_id;
}

/** All events after a cursor. */
async function everything(reader: TestAgent, cursor: string): Promise<WireEvent[]> {
  const events: WireEvent[] = [];
  for (let place = cursor; ;) {
    const page = await reader.call<WireEvents>('events/list', { cursor: place, limit: 100, include_own: true });
    if (page.events.length === 0) return events;
    events.push(...page.events);
    place = page.cursor;
  }
}

/** The subscriber of both versions was told of every event of a thread, once. */
async function toldOnce(): Promise<void> {
  await eventually('the subscriber was told of every event, once', async () => {
    const wrong = await database.query(`
      SELECT FROM events e LEFT JOIN told t ON t.event_id = e.id WHERE e.handoff_id IS NOT NULL AND t.times IS DISTINCT FROM 1`);
    return wrong.length === 0;
  });
}

describe('the version before the newest migrations', () => {
  it('serves while they are applied, and afterwards side by side with this one', async () => {
    await migrate(previous.folder);
    await database.query('CREATE TABLE told (event_id uuid PRIMARY KEY, times integer NOT NULL)');
    const old = await start(previous.folder);
    const [bob, frank] = [await register(old, 'bob@acme'), await register(old, 'frank@acme')];

    const first = await wholeHandoff(bob, frank, [old]);
    const { cursor: before } = await frank.at(old).events(4, { include_own: true });
    const done: string[] = [];
    let migrating = true;
    const load = Promise.all(
      [1, 2, 3].map(async () => {
        while (migrating || done.length < 10) done.push(await wholeHandoff(bob, frank, [old]));
      }),
    );
    await migrate(CURRENT);
    migrating = false;
    await load;

    const current = await start(CURRENT);
    for (const urls of [
      [old, current],
      [current, old],
    ])
      done.push(await wholeHandoff(bob, frank, urls));
    expect((await fetch(`${old}/readyz`)).status).toBe(200);

    const seen: WireEvent[] = [];
    const urls = [old, current];
    await eventually('all events are read, at one version and the other in turn', async () => {
      const cursor = seen.at(-1)?.cursor;
      const page = await frank.at(urls[seen.length % 2]!).call<{ events: WireEvent[] }>('events/list', {
        ...(cursor === undefined ? {} : { cursor }),
        limit: 7,
        include_own: true,
      });
      seen.push(...page.events);
      return page.events.length === 0 && seen.length >= (done.length + 1) * 4;
    });
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
    expect(seen.length).toBe((done.length + 1) * 4);
    expect(new Set(seen.map(({ task_id }) => task_id))).toEqual(new Set([first, ...done]));

    for (const url of urls) {
      const after = await everything(frank.at(url), before);
      expect(after.map(({ id }) => id)).toEqual(seen.slice(4).map(({ id }) => id));
    }
    expect(await impossibilities(database)).toEqual([]);
    await toldOnce();
  });
});

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { WireEvent } from '@agentrelay/protocol';
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
import { buildPreviousVersion } from './previous-version';

const run = promisify(execFile);
const CURRENT = join(__dirname, '../..');
const previous = buildPreviousVersion();
afterAll(() => previous.remove());

let database: TestDatabase;
const relays: ChildProgram[] = [];
beforeAll(async () => {
  database = await createDatabase('agentrelay_test_upgrade', 'empty');
});
afterAll(async () => {
  for (const relay of relays) relay.kill('SIGTERM');
  expect(await Promise.all(relays.map((relay) => relay.exit()))).toEqual(relays.map(() => 0));
  await database.close();
});

function settings(): Record<string, string> {
  return { ...testSettings(database.url), RELAY_MIGRATE_ON_START: 'false' };
}

function migrate(checkout: string): Promise<unknown> {
  return run(process.execPath, [join(checkout, 'dist/apps/relay/src/migrate.js')], {
    env: { ...process.env, ...settings() },
  });
}

async function start(checkout: string): Promise<string> {
  const port = String(await freePort());
  relays.push(ChildProgram.start(join(checkout, 'dist/apps/relay/src/main.js'), { ...settings(), PORT: port }));
  const url = `http://127.0.0.1:${port}`;
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

describe('the version before the newest migrations', () => {
  it('serves while they are applied, and afterwards side by side with this one', async () => {
    await migrate(previous.folder);
    const old = await start(previous.folder);
    const [bob, frank] = [await register(old, 'bob@acme'), await register(old, 'frank@acme')];

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
      return page.events.length === 0 && seen.length >= done.length * 4;
    });
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
    expect(seen.length).toBe(done.length * 4);
  });
});

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restCall, TEST_ADMIN_TOKEN, TestAgent, testSettings } from '@agentrelay/testing';
import { bootRelay, type RunningRelay } from '../../apps/relay/src/boot';
import { commandsOf } from './runbook';
import { SystemPostgres } from './system-postgres';

const ROOT = join(__dirname, '../..');
let postgres: SystemPostgres;
let folder: string;
let relay: RunningRelay;
/** The database in use. */
let serving = 'agentrelay_live';

/** Ordinary roles: the relay's owns its database, another may create databases for it; neither is a superuser. */
const ROLES = `CREATE ROLE relay_app LOGIN; CREATE ROLE dba LOGIN CREATEDB IN ROLE relay_app;`;

beforeAll(async () => {
  postgres = await SystemPostgres.start();
  folder = mkdtempSync(join(tmpdir(), 'agentrelay-backup-'));
  shell(`psql -X -v ON_ERROR_STOP=1 "${urlOf('relay', 'postgres')}" -c '${ROLES}'`);
  shell('createdb --maintenance-db="$MAINTENANCE_URL" --owner=relay_app agentrelay_live');
  relay = await bootRelay(testSettings(urlOf('relay_app', 'agentrelay_live')));
});
afterAll(async () => {
  await relay.app.close();
  await postgres.stop();
  rmSync(folder, { recursive: true });
});

function urlOf(role: string, database: string): string {
  const url = new URL(postgres.url);
  url.username = role;
  url.pathname = `/${database}`;
  return url.href;
}

/** Runs commands as an operator would, from the folder of the relay. */
function shell(commands: string, restored = 'agentrelay_restored'): string {
  const { PATH = '' } = process.env;
  const env = {
    ...testSettings(urlOf('relay_app', serving)),
    PATH: `${postgres.bin}:${PATH}`,
    MAINTENANCE_URL: urlOf('dba', 'postgres'),
    OWNER: 'relay_app',
    RESTORED: restored,
    RESTORED_URL: urlOf('relay_app', restored),
    BACKUP: join(folder, 'agentrelay.dump'),
  };
  return execFileSync('bash', ['-eo', 'pipefail', '-c', commands], { cwd: ROOT, env }).toString();
}

async function register(handle: string): Promise<TestAgent> {
  const profile = { handle, email: `${handle}.example`, display_name: handle, role: 'developer' };
  const { body } = await restCall<{ agent_id: string; api_key: string }>(
    relay.url,
    TEST_ADMIN_TOKEN,
    'POST',
    '/admin/agents',
    profile,
  );
  return new TestAgent(relay.url, handle, body.agent_id, body.api_key);
}

/** A hash of everything that both participants see of every thread. */
async function threadsHash(agents: TestAgent[], ids: string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const agent of agents) {
    for (const id of ids) {
      const { inbox_url: _, ...thread } = await agent.at(relay.url).get(id, { mark_read: false });
      hash.update(JSON.stringify(thread));
    }
  }
  return hash.digest('hex');
}

describe('the runbook of backup and restore', () => {
  it('brings back every thread as it was, voids cursors, and lets everybody go on', async () => {
    const agents = [await register('bob@acme'), await register('frank@acme')] as const;
    const [bob, frank] = agents;
    const ids: string[] = [];
    for (let i = 0; i < 12; i++) {
      const artifacts = [{ type: 'file_ref', path: `src/${i}.ts`, note: 'ünïcode ✓' }];
      const { task_id } = await bob.send(frank.handle, { artifacts, metadata: { client_idempotency_key: `k${i}` } });
      ids.push(task_id);
      if (i % 2 === 0) await frank.accept(task_id, { session_id: `s${i}` });
      if (i % 3 === 0) await bob.append(task_id, `More of ${i}.`);
      if (i % 4 === 0) await frank.complete(task_id);
    }
    const { cursor } = await frank.events(12);
    const before = await threadsHash([...agents], ids);

    shell(commandsOf('back-up'));
    const lost = await bob.send(frank.handle);
    shell(commandsOf('restore'));
    expect(shell(commandsOf('check-restored'))).toMatch(/^12\|20[^\n]*\n\d+\|20/);
    expect(shell(commandsOf('new-epoch'))).toContain('The event log is in epoch 2');
    // Until here the relay has served from the database in use, of which nothing is gone.
    expect((await frank.get(lost.task_id)).status).toEqual({ state: 'pending' });
    await relay.app.close();
    serving = 'agentrelay_restored';
    relay = await bootRelay(testSettings(urlOf('relay_app', serving)));

    expect(await threadsHash([...agents], ids)).toBe(before);
    const there = frank.at(relay.url);
    expect(await there.refusal('tasks/get', { task_id: lost.task_id })).toMatchObject({ symbol: 'thread_not_found' });
    expect(await there.refusal('events/list', { cursor })).toMatchObject({ symbol: 'cursor_expired' });
    const afresh = await there.events(12);
    expect(afresh.events.filter(({ type }) => type === 'handoff.created').map(({ thread_id }) => thread_id)).toEqual(
      ids,
    );

    expect(
      await bob.at(relay.url).send(frank.handle, {
        artifacts: [{ type: 'file_ref', path: 'src/0.ts', note: 'ünïcode ✓' }],
        metadata: { client_idempotency_key: 'k0' },
      }),
    ).toMatchObject({
      task_id: ids[0],
      replayed: true,
    });
    const next = await bob.at(relay.url).send(frank.handle);
    const { events } = await there.events(1, { cursor: afresh.cursor });
    expect(events.map(({ thread_id }) => thread_id)).toEqual([next.task_id]);
  });

  it('restored a second time gets an epoch of its own: a cursor of one is refused by the other', async () => {
    const grace = await register('grace@acme');
    shell(commandsOf('back-up'));
    const there: RunningRelay[] = [];
    for (const name of ['agentrelay_one', 'agentrelay_two']) {
      shell(commandsOf('restore'), name);
      shell(commandsOf('new-epoch'), name);
      there.push(await bootRelay(testSettings(urlOf('relay_app', name))));
    }
    const [one, two] = there.map(({ url }) => grace.at(url)) as [TestAgent, TestAgent];
    const { cursor } = await one.call<{ cursor: string }>('events/list', { cursor: 'now' });
    expect(await two.refusal('events/list', { cursor })).toMatchObject({ symbol: 'cursor_expired' });
    expect((await one.call<{ events: object[] }>('events/list', { cursor })).events).toEqual([]);
    for (const { app } of there) await app.close();
  });
});

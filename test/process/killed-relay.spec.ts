import { randomUUID } from 'node:crypto';
import { type ChildProgram, freePort, testSettings, type TestAgent, useRelay } from '@agentrelay/testing';
import { startRelayProcess } from './relay-process';

const relay = useRelay();

describe('a relay killed in the middle of sends', () => {
  let killed: ChildProgram | undefined;

  afterEach(() => killed?.kill('SIGKILL'));

  it('has lost nothing that it acknowledged, and retries with the same key double nothing', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const environment = { ...testSettings(relay.database.url), PORT: String(port) };
    const bob = (await relay.agent('bob@acme')).at(url);
    await relay.agent('frank@acme');
    const keys = Array.from({ length: 120 }, () => randomUUID());
    const acknowledged = new Map<string, string>();

    for (let round = 0; round < 3; round++) {
      killed = await startRelayProcess(environment, url);
      const victim = killed;
      const open = keys.filter((key) => !acknowledged.has(key));
      let answers = 0;
      await inParallel(8, open, async (key) => {
        const id = await send(bob, key);
        if (id === undefined) return;
        acknowledged.set(key, id);
        if (++answers === 20) victim.kill('SIGKILL');
      });
    }
    killed = await startRelayProcess(environment, url);
    for (const key of keys) {
      const id = await send(bob, key);
      expect(id).toBe(acknowledged.get(key) ?? id);
      acknowledged.set(key, id!);
    }

    const rows = await relay.database.query<{ id: string }>('SELECT id FROM handoffs');
    expect(rows.map(({ id }) => id).sort()).toEqual([...acknowledged.values()].sort());
    expect(new Set(acknowledged.values()).size).toBe(keys.length);
  });
});

/** The id of the handoff, or undefined when the relay died before it answered. */
async function send(bob: TestAgent, key: string): Promise<string | undefined> {
  try {
    return (await bob.send('frank@acme', { idempotency_key: key })).task_id;
  } catch (error) {
    if (error instanceof Error && error.message !== 'fetch failed') throw error;
    return undefined;
  }
}

async function inParallel<Item>(workers: number, items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (let item = queue.pop(); item !== undefined; item = queue.pop()) await work(item);
    }),
  );
}

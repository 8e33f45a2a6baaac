import type { WireEvent, WireEvents } from '@agentrelay/protocol';
import { eventually, type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay({ DATABASE_POOL_SIZE: '20' });

const list = (agent: TestAgent, params: object): Promise<WireEvents> => agent.call<WireEvents>('events/list', params);

describe('a reader of the log', () => {
  it('does not skip an event whose transaction began earlier and commits later', async () => {
    const bob = await relay.agent('bob@acme');
    const frank = await relay.agent('frank@acme');
    const { cursor } = await list(frank, {});
    const holder = await relay.database.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT pg_current_xact_id()');

    const { task_id } = await bob.send('frank@acme');
    // The open transaction could still write an event that belongs before this one.
    expect(await list(frank, { cursor })).toEqual({ events: [], cursor });
    const waiting = list(frank, { cursor, wait_ms: 50_000 });
    await holder.query('COMMIT');
    await holder.end();
    expect((await waiting).events.map((event) => event.task_id)).toEqual([task_id]);
  });

  it('sees every event exactly once while 32 writers commit out of order, wherever it stops and goes on', async () => {
    const frank = await relay.agent('frank@acme');
    const writers = await Promise.all(Array.from({ length: 32 }, () => relay.agent()));
    const perWriter = 4;
    const written = Promise.all(
      writers.map(async (writer) => {
        for (let i = 0; i < perWriter; i++) await writer.send('frank@acme');
      }),
    );

    const seen: WireEvent[] = [];
    let cursor: string | undefined;
    await eventually(
      'everything was read',
      async () => {
        const page = await list(frank, { ...(cursor === undefined ? {} : { cursor }), limit: 7 });
        seen.push(...page.events);
        cursor = page.cursor;
        return seen.length >= 32 * perWriter;
      },
      25_000,
    );
    await written;
    expect((await list(frank, { cursor })).events).toEqual([]);
    expect(seen).toHaveLength(32 * perWriter);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(32 * perWriter);
  });

  it('gets cursor_expired after a restore, and reads everything afresh from the start', async () => {
    const bob = await relay.agent('bob@acme');
    const frank = await relay.agent('frank@acme');
    await bob.send('frank@acme');
    const { cursor, events } = await frank.events(1);
    // A restored cluster has another identity, and its transactions may begin below those of the log.
    await relay.database.query(`UPDATE relay_state SET system_identifier = 'another cluster'`);
    await relay.database.query(`UPDATE events SET transaction_id = transaction_id + 1000000000000`);
    const restored = await relay.replica();
    const there = frank.at(restored.url);
    expect(await there.refusal('events/list', { cursor })).toMatchObject({
      symbol: 'cursor_expired',
      code: -32036,
      status: 410,
    });
    expect((await there.events(1)).events.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    await bob.at(restored.url).send('frank@acme');
    expect((await there.events(2)).events).toHaveLength(2);
    await restored.app.close();
  });
});

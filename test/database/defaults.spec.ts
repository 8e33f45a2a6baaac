import { eventually, useRelay } from '@agentrelay/testing';

const relay = useRelay();

/** Sets a default of the database, and makes every connection anew under it. */
async function setDefault(name: string, value: string | undefined): Promise<void> {
  const [row] = await relay.database.query<{ name: string }>('SELECT current_database() AS name');
  await relay.database.query(
    value === undefined
      ? `ALTER DATABASE ${row!.name} RESET ${name}`
      : `ALTER DATABASE ${row!.name} SET ${name} = '${value}'`,
  );
  await relay.database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'agentrelay'`,
  );
  await eventually('the relay is connected again', async () => {
    const open = await relay.database.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'agentrelay'`,
    );
    await fetch(`${relay.url}/readyz`);
    return open.length > 0;
  });
}

describe('a database whose default isolation is stricter', () => {
  const NAME = 'default_transaction_isolation';
  afterEach(() => setDefault(NAME, undefined));

  it.each(['repeatable read', 'serializable'])(
    '%s changes nothing: a send that waited for a block is refused',
    async (level) => {
      const { bob, frank } = await relay.pair();
      await setDefault(NAME, level);
      const holder = await relay.database.connect();
      await holder.query('BEGIN');
      await holder.query('SELECT FROM agents WHERE id = $1 FOR NO KEY UPDATE', [frank.agentId]);
      const sending = bob.rpc('message/send', {
        recipient: frank.handle,
        message: { role: 'user', parts: [{ type: 'text', text: 'x' }] },
      });
      await eventually('it waits for the lock', async () => {
        const waiting = await relay.database.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return waiting.length > 0;
      });
      await holder.query('INSERT INTO blocks (blocker_id, blocked_id) VALUES ($1, $2)', [frank.agentId, bob.agentId]);
      await holder.query('COMMIT');
      await holder.end();
      expect((await sending).body).toMatchObject({ error: { data: { code: 'teammate_blocked' } } });
      expect(await relay.database.query('SELECT FROM handoffs')).toEqual([]);
    },
  );
});

describe('a database that was made read-only for a switchover', () => {
  const NAME = 'default_transaction_read_only';
  afterEach(() => setDefault(NAME, undefined));

  it('makes the relay unready, and a write is answered with unavailable', async () => {
    const { bob, frank } = await relay.pair();
    await setDefault(NAME, 'on');
    // A good answer is cached for half a second.
    await eventually('it is unready', async () => (await fetch(`${relay.url}/readyz`)).status === 503);
    const answer = await fetch(`${relay.url}/readyz`);
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { status: 'unavailable', reason: 'database read-only' },
    ]);
    expect(
      await bob.refusal('message/send', {
        recipient: frank.handle,
        message: { role: 'user', parts: [{ type: 'text', text: 'x' }] },
      }),
    ).toMatchObject({ symbol: 'unavailable' });
    await relay.database.query('SET default_transaction_read_only = off');
    await setDefault(NAME, undefined);
    expect((await fetch(`${relay.url}/readyz`)).status).toBe(200);
    await bob.send(frank.handle);
  });
});

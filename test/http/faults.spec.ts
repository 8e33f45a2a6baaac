import { Client } from 'pg';
import { type Answer, eventually, text, useRelay } from '@agentrelay/testing';

const relay = useRelay();

const MESSAGE =
  'The relay failed. Try again with the same idempotency key; give the request id to your administrator if it stays.';

function send() {
  return { recipient: 'frank', message: text('x') };
}

/** Runs `work` while the schema is broken by `damage`. */
async function whileBroken(damage: string, repair: string, work: () => Promise<void>): Promise<void> {
  await relay.database.query(damage);
  try {
    await work();
  } finally {
    await relay.database.query(repair);
  }
}

/** Runs `work` while the relay's database takes no connection and has none. */
async function whileDatabaseIsAway(work: () => Promise<void>): Promise<void> {
  const name = new URL(relay.database.url).pathname.slice(1);
  const maintenance = new Client({ connectionString: process.env['AGENTRELAY_TEST_CLUSTER']! });
  await maintenance.connect();
  try {
    await maintenance.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await maintenance.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND application_name = 'agentrelay'`,
      [name],
    );
    await work();
  } finally {
    await maintenance.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await maintenance.end();
  }
}

describe('a failure of the relay itself', () => {
  const DAMAGE = [
    'ALTER TABLE handoffs RENAME COLUMN intent TO lost',
    'ALTER TABLE handoffs RENAME COLUMN lost TO intent',
  ] as const;

  it('is internal on the native API, and shows nothing of the statement', async () => {
    const { bob } = await relay.pair();
    await whileBroken(...DAMAGE, async () => {
      for (const [method, params] of [
        ['message/send', send()],
        ['message/send', { ...send(), idempotency_key: 'k' }],
        ['tasks/list', {}],
      ] as const) {
        const { status, body } = await bob.rpc(method, params, { 'x-request-id': 'r-9' });
        expect([status, body]).toEqual([
          500,
          {
            jsonrpc: '2.0',
            id: 1,
            error: { code: -32099, message: MESSAGE, data: { code: 'internal', request_id: 'r-9', details: {} } },
          },
        ]);
      }
    });
    expect((await bob.call('message/send', { ...send(), idempotency_key: 'k' }))['replayed']).toBeUndefined();
  });

  it('leaves nothing of the change behind', async () => {
    const { bob } = await relay.pair();
    const { task_id: id } = await bob.send('frank');
    await whileBroken('ALTER TABLE events RENAME TO lost', 'ALTER TABLE lost RENAME TO events', async () => {
      const append = { task_id: id, message: text('x'), idempotency_key: 'k' };
      expect((await bob.refusal('message/send', append)).symbol).toBe('internal');
      expect((await bob.refusal('message/send', send())).symbol).toBe('internal');
      expect((await bob.rest('PUT', '/agents/me/card', { description: 'new' })).status).toBe(500);
    });
    expect((await bob.get(id)).messages).toHaveLength(1);
    expect(await relay.database.query('SELECT id FROM handoffs')).toEqual([{ id }]);
    expect(await relay.database.query('SELECT key FROM idempotency_records')).toEqual([]);
    expect((await bob.rest('GET', '/agents/me')).body['description']).toBe('');
  });

  it('is internal on REST paths, in their shape', async () => {
    const bob = await relay.agent('bob@acme');
    await whileBroken('ALTER TABLE blocks RENAME TO lost', 'ALTER TABLE lost RENAME TO blocks', async () => {
      const { status, body, headers } = await bob.rest('GET', '/agents/me/block');
      expect([status, body]).toEqual([
        500,
        { code: 'internal', message: MESSAGE, request_id: headers.get('x-request-id'), details: {} },
      ]);
    });
  });

  it('of one entry of a batch stays with that entry', async () => {
    const { bob } = await relay.pair();
    await whileBroken(...DAMAGE, async () => {
      const call = (id: number, method: string, params: object) => ({ jsonrpc: '2.0', id, method, params });
      const { status, body } = await bob.post<object[]>(
        JSON.stringify([call(1, 'message/send', send()), call(2, 'agents/list', {})]),
      );
      expect(status).toBe(200);
      expect(body).toMatchObject([
        { id: 1, error: { data: { code: 'internal' } } },
        { id: 2, result: { next_cursor: null } },
      ]);
    });
  });
});

describe('a database that is away', () => {
  const AWAY =
    'The relay cannot reach its database. Try again, a write with the same idempotency key: it may have been stored.';

  it('is unavailable on every API, with a time to try again; and all is well when it is back', async () => {
    const { bob } = await relay.pair();
    const { task_id: id } = await bob.send('frank');
    await whileDatabaseIsAway(async () => {
      const rpc: Answer[] = [await bob.rpc('tasks/get', { task_id: id }), await bob.rpc('message/send', send())];
      for (const { status, headers, body } of rpc) {
        expect([status, headers.get('retry-after'), body]).toMatchObject([
          503,
          '1',
          { id: 1, error: { code: -32037, message: AWAY, data: { code: 'unavailable', details: {} } } },
        ]);
      }
      const rest = await relay.admin('GET', '/admin/agents');
      expect([rest.status, rest.headers.get('retry-after'), rest.body]).toMatchObject([
        503,
        '1',
        { code: 'unavailable', message: AWAY },
      ]);
    });
    await eventually(
      'the relay serves again',
      async () => (await bob.rpc('tasks/get', { task_id: id })).status === 200,
    );
    expect(await relay.database.query('SELECT id FROM handoffs')).toEqual([{ id }]);
  });

  it('turns the relay unready, while it stays alive', async () => {
    await whileDatabaseIsAway(async () => {
      const isUnready = async (): Promise<boolean> => (await relay.anonymous('GET', '/readyz')).status === 503;
      await eventually('the relay is unready', isUnready);
      const ready = await relay.anonymous('GET', '/readyz');
      expect([ready.status, ready.body]).toEqual([503, { status: 'unavailable', reason: 'database unreachable' }]);
      expect((await relay.anonymous('GET', '/healthz')).body).toEqual({ status: 'ok' });
    });
    await eventually('the relay is ready again', async () => (await relay.anonymous('GET', '/readyz')).status === 200);
  });

  it('that holds a lock for too long is unavailable, too, and nothing is stored', async () => {
    const { bob, frank } = await relay.pair();
    const answer = await relay.database.inTransaction(async (holder) => {
      await holder.query('SELECT FROM agents WHERE id = $1 FOR UPDATE', [frank.agentId]);
      const call = bob.rpc('message/send', send());
      const waiting = await eventually('the send waits for the lock', async () => {
        const [row] = await relay.database.query<{ pid: number }>(
          `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return row?.pid;
      });
      // What the server's statement timeout does after ten seconds.
      await relay.database.query('SELECT pg_cancel_backend($1)', [waiting]);
      return call;
    });
    expect(answer).toMatchObject({ status: 503, body: { error: { data: { code: 'unavailable' } } } });
    expect(await relay.database.query('SELECT id FROM handoffs')).toEqual([]);
  });
});

import { type Answer, TEST_ADMIN_TOKEN, type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();

let bob: TestAgent;

beforeEach(async () => {
  ({ bob } = await relay.pair());
});

async function ask(token: string, method: string, path: string, key: string, body?: object): Promise<Answer> {
  const response = await fetch(`${relay.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'idempotency-key': key,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Everything that a write can leave behind. */
const traces = () =>
  relay.database.query(`SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM api_keys) AS keys,
    (SELECT count(*) FROM agents) AS agents, (SELECT count(*) FROM invites) AS invites,
    (SELECT json_agg(c ORDER BY agent_id) FROM cards c) AS cards, (SELECT json_agg(b) FROM blocks b) AS blocks`);

type Write = [name: string, by: 'bob' | 'admin', method: string, path: string, body: object | undefined, other: object];

const PLAIN: Write[] = [
  ['a block', 'bob', 'POST', '/agents/me/block', { handle: 'frank@acme' }, { handle: 'frank@acme', reason: 'x' }],
  ['a card', 'bob', 'PUT', '/agents/me/card', { description: 'x' }, { description: 'y' }],
  ['a change by an administrator', 'admin', 'PATCH', '/admin/agents/bob@acme', { role: 'x' }, { role: 'y' }],
];
const CREDENTIALS: Write[] = [
  ['registering', 'admin', 'POST', '/admin/agents', { handle: 'grace@acme' }, { handle: 'heidi@acme' }],
  ['a key', 'admin', 'POST', '/admin/agents/bob@acme/keys', { label: 'x' }, { label: 'y' }],
  ['a rotation by an administrator', 'admin', 'POST', '/admin/agents/bob@acme/keys/rotate', {}, { overlap_seconds: 9 }],
  ['the own rotation', 'bob', 'POST', '/agents/me/keys/rotate', {}, { overlap_seconds: 9 }],
  [
    'an invite',
    'admin',
    'POST',
    '/admin/invites',
    { handle: 'grace@acme', inviter_handle: 'bob@acme' },
    { handle: 'heidi@acme', inviter_handle: 'bob@acme' },
  ],
];
const ENDS: [name: string, method: string, path: string][] = [
  ['end of a key', 'DELETE', '/admin/agents/bob@acme/keys/:id'],
  ['disabling', 'DELETE', '/admin/agents/bob@acme'],
  ['erasing', 'POST', '/admin/agents/bob@acme/erase'],
  ['end of an invite', 'DELETE', '/admin/invites/:jti'],
];
const tokenOf = (by: 'bob' | 'admin'): string => (by === 'bob' ? bob.apiKey : TEST_ADMIN_TOKEN);

describe('an idempotency key on REST', () => {
  it.each(PLAIN)(
    'makes a repeated write of %s answer as the first, and write nothing',
    async (_, by, method, path, body) => {
      const first = await ask(tokenOf(by), method, path, 'k', body);
      expect(first.status).toBe(200);
      const left = await traces();
      const again = await ask(tokenOf(by), method, path, 'k', body);
      expect([again.status, again.body]).toEqual([200, { replayed: true, ...(first.body as object) }]);
      expect(await traces()).toEqual(left);
    },
  );

  it.each(CREDENTIALS)('never shows a credential twice: %s again is a conflict', async (_, by, method, path, body) => {
    const first = await ask(tokenOf(by), method, path, 'k', body);
    expect(first.status).toBeLessThan(300);
    const left = await traces();
    const again = await ask(tokenOf(by), method, path, 'k', body);
    expect(again).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await traces()).toEqual(left);
    const [secret] = /ar_test_\w+|v1\.[\w-]+\.[\w-]+/.exec(JSON.stringify(first.body))!;
    expect(JSON.stringify(again.body)).not.toContain(secret);
  });

  it.each([...PLAIN, ...CREDENTIALS])(
    'used again for another %s is refused',
    async (_, by, method, path, body, other) => {
      await ask(tokenOf(by), method, path, 'k', body);
      const left = await traces();
      expect(await ask(tokenOf(by), method, path, 'k', other)).toMatchObject({
        status: 409,
        body: { code: 'duplicate_idempotency_key', details: { reason: 'idempotency_key_reused' } },
      });
      expect(await traces()).toEqual(left);
    },
  );

  it('does not undo what came after: a repeated unblock leaves a newer block', async () => {
    const path = '/agents/me/block/frank@acme';
    await ask(bob.apiKey, 'DELETE', path, 'k');
    await bob.rest('POST', '/agents/me/block', { handle: 'frank' });
    expect((await ask(bob.apiKey, 'DELETE', path, 'k')).status).toBe(200);
    expect((await bob.rest('GET', '/agents/me/block')).body).toMatchObject({ blocked: [{ handle: 'frank@acme' }] });
  });

  it('does not undo what came after: a repeated card gives its first answer and leaves a newer one', async () => {
    const put = (description: string, key: string) => ask(bob.apiKey, 'PUT', '/agents/me/card', key, { description });
    await put('first', 'k');
    await put('second', 'other');
    expect(await put('first', 'k')).toMatchObject({ status: 200, body: { description: 'first', replayed: true } });
    const [card] = await relay.database.query(`SELECT description FROM cards WHERE agent_id = $1`, [bob.agentId]);
    expect(card).toEqual({ description: 'second' });
  });

  it('of a refused write may be used for the corrected one', async () => {
    const block = (handle: string) => ask(bob.apiKey, 'POST', '/agents/me/block', 'k', { handle });
    expect([(await block('nobody')).status, (await block('frank')).status]).toEqual([404, 200]);
  });

  it.each(['', 'x'.repeat(256)])('that is none (%p) is refused', async (key) => {
    expect(await ask(bob.apiKey, 'PUT', '/agents/me/card', key, {})).toMatchObject({
      status: 400,
      body: { code: 'invalid_params', details: { field: 'Idempotency-Key' } },
    });
  });

  it('tells whoever repeats the end of an own key what ended, and ends nothing that was made since', async () => {
    const made = (await relay.admin<{ key_id: string }>('POST', '/admin/agents/bob@acme/keys', {})).body.key_id;
    const path = `/agents/me/keys/${made}`;
    const first = await ask(bob.apiKey, 'DELETE', path, 'k');
    expect([first.status, first.body]).toEqual([200, { key_id: made, ended: [made] }]);
    const left = await traces();
    const again = await ask(bob.apiKey, 'DELETE', path, 'k');
    expect([again.status, again.body]).toEqual([200, { replayed: true, key_id: made, ended: [made] }]);
    expect((await ask(bob.apiKey, 'DELETE', `${path}?descendants=keep`, 'k')).body).toMatchObject({
      code: 'duplicate_idempotency_key',
    });
    // Without the key nothing of that id lives.
    expect((await bob.rest('DELETE', path)).status).toBe(404);
    expect(await traces()).toEqual(left);
  });

  it.each(ENDS)(
    'makes an administrator’s repeated %s answer as the first, and write nothing',
    async (_, method, path) => {
      await relay.admin('POST', '/admin/invites', { handle: 'grace@acme', inviter_handle: 'bob@acme' });
      const id = await relay.database.query<{ key_id: string; jti: string }>(
        `SELECT (SELECT id FROM api_keys WHERE agent_id = $1) AS key_id, (SELECT jti FROM invites) AS jti`,
        [bob.agentId],
      );
      if (path.endsWith('/erase')) await relay.admin('DELETE', '/admin/agents/bob@acme');
      const address = path.replace(':id', id[0]!.key_id).replace(':jti', id[0]!.jti);
      const first = await end(method, address);
      expect(first.status).toBeLessThan(300);
      const left = await traces();
      const again = await end(method, address);
      expect([again.status, again.body]).toEqual([
        first.status,
        first.body === null ? null : { replayed: true, ...first.body },
      ]);
      expect(await traces()).toEqual(left);
    },
  );

  it('does not undo what came after: a repeated disabling leaves an agent that was enabled since', async () => {
    await end('DELETE', '/admin/agents/frank@acme');
    await relay.admin('PATCH', '/admin/agents/frank@acme', { status: 'active' });
    expect(await end('DELETE', '/admin/agents/frank@acme')).toMatchObject({ status: 200, body: { replayed: true } });
    const [frank] = await relay.database.query(`SELECT status FROM agents WHERE handle = 'frank@acme'`);
    expect(frank).toEqual({ status: 'active' });
  });
});

/** By an administrator, under one key; the body is null where there is none. */
async function end(method: string, path: string): Promise<{ status: number; body: object | null }> {
  const headers = { authorization: `Bearer ${TEST_ADMIN_TOKEN}`, 'idempotency-key': 'k' };
  const response = await fetch(`${relay.url}${path}`, { method, headers });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : (JSON.parse(text) as object) };
}

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
});

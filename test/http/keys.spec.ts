import { type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();

interface Key {
  key_id: string;
  principal: string;
  label: string;
  revoked_at: string | null;
}

const KEYS = '/admin/agents/bob@acme/keys';

function issue(body: object) {
  return relay.admin<{ key_id: string; api_key: string }>('POST', KEYS, body);
}

async function list(): Promise<Key[]> {
  return (await relay.admin<{ keys: Key[] }>('GET', KEYS)).body.keys;
}

async function whoAmI(agent: TestAgent): Promise<object> {
  const { status, body } = await agent.rest('GET', '/agents/me');
  return [status, body['handle'], body['principal']];
}

describe('keys of an agent', () => {
  it('are listed newest first, with every fact but the key itself', async () => {
    await relay.agent('bob@acme');
    const { status, body } = await issue({
      principal: 'human',
      label: 'phone',
      expires_at: '2099-01-01T00:00:00+01:00',
    });
    expect([status, Object.keys(body)]).toEqual([201, ['key_id', 'api_key']]);
    const keys = await list();
    expect(keys).toEqual([
      {
        key_id: body.key_id,
        principal: 'human',
        label: 'phone',
        parent_key_id: null,
        created_at: expect.stringMatching(/Z$/) as string,
        expires_at: '2098-12-31T23:00:00.000Z',
        last_used_at: null,
        revoked_at: null,
      },
      expect.objectContaining({ principal: 'agent', label: 'first key', expires_at: null }),
    ]);
    expect(JSON.stringify(keys)).not.toContain('ar_test_');
  });

  it('speak for the agent or for its person, as they were issued', async () => {
    const bob = await relay.agent('bob@acme');
    const second = bob.withKey((await issue({})).body.api_key);
    const human = await relay.humanOf(bob);
    expect(await whoAmI(bob)).toEqual([200, 'bob@acme', 'agent']);
    expect(await whoAmI(second)).toEqual([200, 'bob@acme', 'agent']);
    expect(await whoAmI(human)).toEqual([200, 'bob@acme', 'human']);
  });

  it.each(['2020-01-01T00:00:00Z', '2027-02-30T00:00:00Z', '2099-13-01T00:00:00Z', '2099-01-01T25:00:00Z'])(
    'are not issued with the end %s, which has passed or is no time',
    async (expires_at) => {
      await relay.agent('bob@acme');
      expect(await issue({ expires_at })).toMatchObject({ status: 400, body: { code: 'invalid_params' } });
      expect(await list()).toHaveLength(1);
    },
  );

  it('are listed in pages, in the order in which they were made', async () => {
    await relay.agent('bob@acme');
    const made: string[] = [];
    for (let n = 0; n < 4; n++) made.unshift((await issue({ label: `key ${n}` })).body.key_id);
    const page = async (query: string) =>
      (await relay.admin<{ keys: Key[]; next_cursor: string | null }>('GET', `${KEYS}?${query}`)).body;
    const first = await page('limit=3');
    const second = await page(`limit=3&cursor=${first.next_cursor ?? ''}`);
    expect([first.keys.map((key) => key.key_id), second.keys.map((key) => key.key_id), second.next_cursor]).toEqual([
      made.slice(0, 3),
      [made[3], expect.any(String)],
      null,
    ]);
    for (const query of ['limit=0', 'limit=201', 'cursor=x', 'live=true']) {
      expect([query, (await relay.admin('GET', `${KEYS}?${query}`)).status]).toEqual([query, 400]);
    }
  });

  it('are at most ten that live: one more is a conflict, until one ends', async () => {
    await relay.agent('bob@acme');
    for (let n = 0; n < 9; n++) expect((await issue({ principal: n < 4 ? 'human' : 'agent' })).status).toBe(201);
    const refused = await issue({});
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict', details: { field: 'keys', limit: 10 } } });
    const [newest] = await list();
    await relay.admin('DELETE', `${KEYS}/${newest!.key_id}`);
    expect((await issue({})).status).toBe(201);
  });

  it('of a person are at most nine, so that the agent can always have one', async () => {
    const bob = await relay.agent('bob@acme');
    for (let n = 0; n < 9; n++) expect((await issue({ principal: 'human' })).status).toBe(201);
    await relay.admin('DELETE', `${KEYS}/${(await list()).at(-1)!.key_id}`);
    expect((await issue({ principal: 'human' })).status).toBe(409);
    expect(await whoAmI(bob.withKey((await issue({})).body.api_key))).toEqual([200, 'bob@acme', 'agent']);
  });

  it('are not issued to an agent that is disabled, also by rotation', async () => {
    await relay.agent('bob@acme');
    await relay.admin('DELETE', '/admin/agents/bob@acme');
    for (const path of [KEYS, `${KEYS}/rotate`]) {
      expect(await relay.admin('POST', path, {})).toMatchObject({
        status: 409,
        body: { code: 'conflict', details: { field: 'status' } },
      });
    }
    expect(await list()).toHaveLength(1);
  });

  it('are revoked one by one, and once only', async () => {
    const bob = await relay.agent('bob@acme');
    const { key_id, api_key } = (await issue({})).body;
    const revoke = () => relay.admin('DELETE', `${KEYS}/${key_id}`);
    expect(await revoke()).toMatchObject({ status: 200, body: { key_id, ended: [key_id] } });
    expect(await whoAmI(bob)).toEqual([200, 'bob@acme', 'agent']);
    expect((await bob.withKey(api_key).rest('GET', '/agents/me')).status).toBe(401);
    expect((await list()).map((key) => [key.key_id === key_id, key.revoked_at !== null])).toEqual([
      [true, true],
      [false, false],
    ]);
    expect(await revoke()).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it("are not revoked under another agent's name", async () => {
    await relay.agent('bob@acme');
    await relay.agent('frank@acme');
    const [key] = await list();
    expect((await relay.admin('DELETE', `/admin/agents/frank@acme/keys/${key!.key_id}`)).status).toBe(404);
    expect((await list())[0]!.revoked_at).toBeNull();
  });

  it.each(['x', '%00', '..%2f', '0198f7c0-0000-7000-8000-000000000000', "'"])(
    'answer 404 for the key id %s',
    async (id) => {
      await relay.agent('bob@acme');
      expect(await relay.admin('DELETE', `${KEYS}/${id}`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    },
  );

  it.each(['nobody@acme', 'nobody', '%00', 'a%20b'])('answer 404 for the agent %s', async (handle) => {
    for (const [method, path] of [
      ['GET', `/admin/agents/${handle}/keys`],
      ['POST', `/admin/agents/${handle}/keys`],
      ['DELETE', `/admin/agents/${handle}/keys/x`],
    ] as const) {
      expect(await relay.admin(method, path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });

  it.each([
    [{ principal: 'robot' }, 'principal'],
    [{ label: '' }, 'label'],
    [{ label: 'x'.repeat(101) }, 'label'],
    [{ expires_at: '2099-01-01' }, 'expires_at'],
    [{ scope: 'all' }, 'scope'],
  ])('are not issued with %p', async (body, field) => {
    await relay.agent('bob@acme');
    expect(await relay.admin('POST', KEYS, body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_params', details: { faults: [{ field }] } },
    });
    expect(await list()).toHaveLength(1);
  });
});

it('the database holds no usable credential: no key, no part of its secret, no admin token', async () => {
  const bob = await relay.agent('bob@acme');
  const human = await relay.humanOf(bob);
  await bob.send((await relay.agent('frank@acme')).handle);
  const dump = await relay.database.dump();
  // Bytes are shown in hex: the texts of the credentials must not stand there either.
  const secrets = [bob.apiKey, human.apiKey].flatMap((key) => [key, key.slice(20, 52), key.slice(-38)]);
  for (const secret of [...secrets, 'test-admin-token', 'test-pepper']) {
    expect(dump).not.toContain(secret);
    expect(dump).not.toContain(Buffer.from(secret).toString('hex'));
  }
  expect(dump).toContain(bob.apiKey.slice(8, 20));
});

import { restCall, useRelay } from '@agentrelay/testing';

const OPS = 'a-second-admin-token-of-40-characters-42';
const relay = useRelay({
  RELAY_TEAM: 'acme',
  RELAY_ADMIN_TOKENS: `ops:${OPS}`,
  RELAY_PUBLIC_URL: 'https://relay.acme.example/r',
});

interface Minted {
  url: string;
  jti: string;
  expires_at: string;
}

const INVITE = { handle: 'Grace@Acme', inviter_handle: 'bob@acme' };

beforeEach(async () => {
  await relay.agent('bob@acme');
});

const mint = (invite: object = INVITE) => relay.admin<Minted>('POST', '/admin/invites', invite);

async function life(): Promise<number> {
  const [row] = await relay.database.query<{ seconds: number }>(
    `SELECT extract(epoch FROM expires_at - created_at)::integer AS seconds FROM invites`,
  );
  return row!.seconds;
}

describe('minting an invite', () => {
  it('gives a link to the join page whose fragment holds the invite, its inviter and a secret', async () => {
    const { status, body } = await mint();
    expect([status, Object.keys(body)]).toEqual([201, ['url', 'jti', 'expires_at']]);
    const [page, fragment] = body.url.split('#');
    expect(page).toBe('https://relay.acme.example/r/join');
    const [version, facts, secret] = fragment!.split('.');
    expect(version).toBe('v1');
    expect(JSON.parse(Buffer.from(facts!, 'base64url').toString())).toEqual({
      jti: body.jti,
      inviter_handle: 'bob@acme',
    });
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(facts).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  it('keeps the secret nowhere: the database can verify it, not tell it', async () => {
    const { body } = await mint();
    const secret = body.url.split('.').at(-1)!;
    const dump = await relay.database.dump();
    expect(dump).toContain(body.jti);
    for (const form of [
      secret,
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret, 'base64url').toString('hex'),
    ]) {
      expect(dump).not.toContain(form);
    }
  });

  it('lets it live a day, without role and address, unless told otherwise', async () => {
    const { body } = await mint();
    expect(await life()).toBe(86_400);
    const { body: list } = await relay.admin<{ invites: object[] }>('GET', '/admin/invites');
    expect(list.invites).toEqual([
      {
        jti: body.jti,
        handle: 'grace@acme',
        role: '',
        inviter_handle: 'bob@acme',
        created_at: expect.stringMatching(/Z$/) as string,
        expires_at: body.expires_at,
        redeemed_at: null,
        revoked_at: null,
      },
    ]);
  });

  it.each([1, 2_592_000])('takes a life of %i seconds', async (seconds) => {
    expect((await mint({ ...INVITE, expires_in_seconds: seconds })).status).toBe(201);
    expect(await life()).toBe(seconds);
  });

  it.each([
    [{ expires_in_seconds: 0 }, 'expires_in_seconds'],
    [{ expires_in_seconds: 2_592_001 }, 'expires_in_seconds'],
    [{ expires_in_seconds: '60' }, 'expires_in_seconds'],
    [{ email: 'nobody' }, 'email'],
    [{ role: 'x'.repeat(121) }, 'role'],
    [{ handle: undefined }, 'handle'],
    [{ inviter_handle: undefined }, 'inviter_handle'],
    [{ display_name: 'Grace' }, 'display_name'],
  ])('refuses %p, naming the field', async (change, field) => {
    expect(await mint({ ...INVITE, ...change })).toMatchObject({
      status: 400,
      body: { code: 'invalid_params', details: { faults: [{ field }] } },
    });
    expect(await relay.database.query('SELECT FROM invites')).toEqual([]);
  });

  it.each([
    ['grace@other', `handle must belong to this relay's team: name@acme.`],
    ['grace', 'handle must look like name@team, with letters, digits, ".", "_" or "-".'],
    ['me@acme', 'handle must not use the reserved name "me".'],
  ])('refuses the handle %s, which could not be registered', async (handle, message) => {
    expect(await mint({ ...INVITE, handle })).toMatchObject({
      status: 400,
      body: { code: 'invalid_params', message, details: { field: 'handle' } },
    });
  });

  it('for a registered handle, whatever its case, is for a new key: without role and address', async () => {
    const { status, body } = await mint({ ...INVITE, handle: 'BOB@acme', role: 'qa', email: 'x@acme.example' });
    expect([status, body]).toEqual([
      201,
      { url: expect.any(String) as string, jti: body.jti, expires_at: body.expires_at, replaces_keys: true },
    ]);
    const { invites } = (await relay.admin<{ invites: object[] }>('GET', '/admin/invites')).body;
    expect(invites).toMatchObject([{ handle: 'bob@acme', role: '', replaces_keys: true }]);
    expect(invites[0]).not.toHaveProperty('email');
  });

  it('for a handle whose agent is disabled is a conflict that says what comes first', async () => {
    await relay.agent('dora@acme');
    await relay.admin('DELETE', '/admin/agents/dora@acme');
    const refused = await mint({ ...INVITE, handle: 'dora@acme' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict', details: { field: 'status' } } });
    expect((refused.body as unknown as { message: string }).message).toContain('PATCH /admin/agents/dora@acme');
    await relay.admin('PATCH', '/admin/agents/dora@acme', { status: 'active' });
    expect((await mint({ ...INVITE, handle: 'dora@acme' })).status).toBe(201);
  });

  it('needs an inviter who is registered and has not left', async () => {
    await relay.agent('dora@acme');
    await relay.admin('DELETE', '/admin/agents/dora@acme');
    for (const inviter of ['nobody@acme', 'dora@acme']) {
      expect(await mint({ ...INVITE, inviter_handle: inviter })).toMatchObject({
        status: 404,
        body: { code: 'recipient_not_found' },
      });
    }
  });

  it('is an event of the inviter by the administrator who did it', async () => {
    const { body } = await restCall<Minted>(relay.url, OPS, 'POST', '/admin/invites', INVITE);
    const events = await relay.database.query(
      `SELECT actor_kind, actor_name, a.handle, payload FROM events e JOIN agents a ON a.id = e.agent_id WHERE type = 'invite.minted'`,
    );
    expect(events).toEqual([
      { actor_kind: 'admin', actor_name: 'ops', handle: 'bob@acme', payload: { jti: body.jti } },
    ]);
  });
});

describe('the list of invites', () => {
  it('shows all of them, newest first, in pages', async () => {
    for (const name of ['a', 'b', 'c'])
      await mint({ ...INVITE, handle: `${name}@acme`, role: 'qa', email: `${name}@acme.example` });
    const page = async (query: string) => {
      const { body } = await relay.admin<{ invites: { handle: string }[]; next_cursor: string | null }>(
        'GET',
        `/admin/invites${query}`,
      );
      return body;
    };
    const first = await page('?limit=2');
    expect(first.invites).toMatchObject([
      { handle: 'c@acme', role: 'qa', email: 'c@acme.example' },
      { handle: 'b@acme', role: 'qa', email: 'b@acme.example' },
    ]);
    const second = await page(`?limit=2&cursor=${first.next_cursor}`);
    expect([second.invites.map(({ handle }) => handle), second.next_cursor]).toEqual([['a@acme'], null]);
    for (const query of ['?limit=0', '?limit=201', '?cursor=x', '?open=true']) {
      expect([query, (await relay.admin('GET', `/admin/invites${query}`)).status]).toEqual([query, 400]);
    }
  });
});

it.each([
  ['POST', '/admin/invites'],
  ['GET', '/admin/invites'],
  ['DELETE', '/admin/invites/x'],
])('%s %s is for administrators only', async (method, path) => {
  const grace = await relay.agent('grace@acme');
  expect((await relay.anonymous(method, path)).status).toBe(401);
  expect((await grace.rest(method, path)).status).toBe(403);
});

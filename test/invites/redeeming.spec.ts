import { eventually, restCall, useReplicas } from '@agentrelay/testing';

const { relay, urlOf } = useReplicas(2);

interface Redeemed {
  agent_id: string;
  handle: string;
  api_key: string;
}

const INVITE = { handle: 'grace@acme', inviter_handle: 'bob@acme', role: 'qa', email: 'Grace@acme.example' };

beforeEach(async () => {
  await relay.agent('bob@acme');
});

async function mint(invite: object = INVITE): Promise<{ jti: string; token: string }> {
  const { body } = await relay.admin<{ url: string; jti: string }>('POST', '/admin/invites', invite);
  return { jti: body.jti, token: body.url.split('.').at(-1)! };
}

function redeem(jti: string, body: object, url = relay.url) {
  return restCall<Redeemed & { code: string }>(url, undefined, 'POST', `/invites/${jti}/redeem`, body);
}

const agents = () => relay.database.query('SELECT handle FROM agents ORDER BY handle');

describe('redeeming an invite', () => {
  it('registers its handle as it was minted, with a key that works', async () => {
    const { jti, token } = await mint();
    const { status, body } = await redeem(jti, { token, display_name: 'Grace H.' });
    expect([status, Object.keys(body), body.handle]).toEqual([201, ['agent_id', 'handle', 'api_key'], 'grace@acme']);
    const me = await restCall(relay.url, body.api_key, 'GET', '/agents/me');
    expect(me.body).toMatchObject({
      agent_id: body.agent_id,
      handle: 'grace@acme',
      name: 'Grace H.',
      role: 'qa',
      email: 'Grace@acme.example',
      status: 'active',
      skills: [],
      principal: 'agent',
    });
  });

  it('names the newcomer by the handle, without an address, unless told otherwise', async () => {
    const { jti, token } = await mint({ handle: 'grace@acme', inviter_handle: 'bob@acme' });
    const { body } = await redeem(jti, { token });
    const me = await restCall(relay.url, body.api_key, 'GET', '/agents/me');
    expect(me.body).toMatchObject({ name: 'grace@acme', role: '' });
    expect(me.body).not.toHaveProperty('email');
    expect(await relay.database.query('SELECT email FROM owners WHERE email IS NULL')).toHaveLength(1);
  });

  it('attaches the agent to the owner whom the address belongs to', async () => {
    const { jti, token } = await mint({ ...INVITE, email: 'BOB.acme@acme.example' });
    await redeem(jti, { token });
    expect(await relay.database.query('SELECT DISTINCT owner_id FROM agents')).toHaveLength(1);
  });

  it('lets nobody choose handle, role or address', async () => {
    const { jti, token } = await mint();
    for (const member of ['handle', 'role', 'email']) {
      expect(await redeem(jti, { token, [member]: 'x@acme' })).toMatchObject({
        status: 400,
        body: { code: 'invalid_params', details: { faults: [{ field: member }] } },
      });
    }
    expect(await agents()).toEqual([{ handle: 'bob@acme' }]);
  });

  it('works once: of twenty at once, over both replicas, one succeeds', async () => {
    const { jti, token } = await mint();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => redeem(jti, { token }, urlOf(n))));
    const won = answers.filter(({ status }) => status === 201);
    expect(won).toHaveLength(1);
    // Also for whoever found the handle taken: it was taken by the same invite.
    const lost = answers.filter((answer) => answer !== won[0]).map(({ status, body }) => `${status} ${body.code}`);
    expect(lost).toEqual(lost.map(() => '410 invite_expired'));
    expect(await agents()).toEqual([{ handle: 'bob@acme' }, { handle: 'grace@acme' }]);
    expect(await redeem(jti, { token })).toMatchObject({ status: 410, body: { code: 'invite_expired' } });
    expect(await relay.database.query(`SELECT FROM events WHERE type = 'invite.redeemed'`)).toHaveLength(1);
  });

  it('is an event of the newcomer, who is registered by it', async () => {
    const { jti, token } = await mint();
    const { body } = await redeem(jti, { token });
    const [key] = await relay.database.query<{ id: string }>('SELECT id FROM api_keys WHERE agent_id = $1', [
      body.agent_id,
    ]);
    expect(
      await relay.database.query(
        `SELECT actor_kind, actor_id, agent_id, payload FROM events WHERE type = 'invite.redeemed'`,
      ),
    ).toEqual([
      { actor_kind: 'agent', actor_id: body.agent_id, agent_id: body.agent_id, payload: { jti, key_id: key!.id } },
    ]);
    expect(
      await relay.database.query(
        `SELECT actor_id, payload FROM events WHERE type = 'agent.registered' AND agent_id = $1`,
        [body.agent_id],
      ),
    ).toEqual([{ actor_id: body.agent_id, payload: { key_id: key!.id } }]);
  });
});

describe('an invite that cannot be redeemed', () => {
  it.each(['', 'x', 'a'.repeat(43)])('with the token %p is invalid_invite, or no token at all', async (token) => {
    const { jti } = await mint();
    const { status, body } = await redeem(jti, { token });
    expect([status, body.code]).toEqual(token === '' ? [400, 'invalid_params'] : [401, 'invalid_invite']);
    expect(await agents()).toEqual([{ handle: 'bob@acme' }]);
  });

  it.each(['x', '%00', '0198f7c0-0000-7000-8000-000000000000'])('of the unknown id %s is the same', async (jti) => {
    const { token } = await mint();
    expect(await redeem(jti, { token })).toMatchObject({ status: 401, body: { code: 'invalid_invite' } });
  });

  it('with the token of another one is invalid_invite', async () => {
    const { jti } = await mint();
    const { token } = await mint({ ...INVITE, handle: 'heidi@acme' });
    expect(await redeem(jti, { token })).toMatchObject({ status: 401, body: { code: 'invalid_invite' } });
  });

  it.each([
    [
      'has expired',
      (jti: string) => relay.database.query('UPDATE invites SET expires_at = now() WHERE jti = $1', [jti]),
    ],
    ['was revoked', (jti: string) => relay.admin('DELETE', `/admin/invites/${jti}`)],
  ])('because it %s is invite_expired, and only to who holds its token', async (_, end) => {
    const { jti, token } = await mint();
    await end(jti);
    expect(await redeem(jti, { token })).toMatchObject({
      status: 410,
      body: {
        code: 'invite_expired',
        message: 'The invite was used, withdrawn or has expired; ask for a new one.',
      },
    });
    expect((await redeem(jti, { token: 'a'.repeat(43) })).status).toBe(401);
    expect(await agents()).toEqual([{ handle: 'bob@acme' }]);
  });

  it('because the handle was taken meanwhile is a conflict, and stays open', async () => {
    const { jti, token } = await mint();
    await relay.agent('grace@acme');
    expect(await redeem(jti, { token })).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await relay.database.query('SELECT redeemed_at, revoked_at FROM invites')).toEqual([
      { redeemed_at: null, revoked_at: null },
    ]);
  });

  it('is revoked once; a used or an unknown one is not found', async () => {
    const revoke = (jti: string) => relay.admin('DELETE', `/admin/invites/${jti}`).then(({ status }) => status);
    const first = await mint();
    expect([await revoke(first.jti), await revoke(first.jti)]).toEqual([204, 404]);
    const used = await mint();
    await redeem(used.jti, { token: used.token });
    expect([await revoke(used.jti), await revoke('x'), await revoke('%00')]).toEqual([404, 404, 404]);
  });
});

describe('an invite for a registered handle', () => {
  const REJOIN = { handle: 'bob@acme', inviter_handle: 'bob@acme', role: 'intruder', email: 'x@acme.example' };
  const status = async (key: string, url = relay.url) => (await restCall(url, key, 'GET', '/agents/me')).status;

  it('gives its agent a new key; its agent keys end, its person’s stay, and it stays who it is', async () => {
    const grace = await relay.agent('grace@acme', { role: 'qa' });
    const second = grace.withKey(
      (await relay.admin<{ api_key: string }>('POST', '/admin/agents/grace@acme/keys', {})).body.api_key,
    );
    const human = await relay.humanOf(grace);
    const before = (await grace.rest('GET', '/agents/me')).body;
    expect([await status(grace.apiKey), await status(second.apiKey, urlOf(1))]).toEqual([200, 200]);
    const { jti, token } = await mint({ ...REJOIN, handle: 'grace@acme' });
    expect(await status(grace.apiKey)).toBe(200);
    const { status: redeemed, body } = await redeem(jti, { token, display_name: 'Somebody else' });
    expect([redeemed, body.agent_id, body.handle]).toEqual([201, grace.agentId, 'grace@acme']);
    for (const [key, url] of [
      [grace.apiKey, relay.replicaUrl],
      [second.apiKey, urlOf(1)],
    ] as const)
      await eventually('the keys ended on every replica', async () => (await status(key, url)) === 401);
    expect(await status(human.apiKey)).toBe(200);
    expect((await grace.withKey(body.api_key).rest('GET', '/agents/me')).body).toEqual(before);
    expect(await redeem(jti, { token })).toMatchObject({ status: 410, body: { code: 'invite_expired' } });
    const types = await relay.database.query<{ type: string }>(
      `SELECT type FROM events WHERE agent_id = $1 AND actor_kind = 'agent' ORDER BY id`,
      [grace.agentId],
    );
    expect(types.map(({ type }) => type)).toEqual(['key.revoked', 'key.revoked', 'key.issued', 'invite.redeemed']);
  });

  it('also when it has as many keys as an agent may have', async () => {
    for (let n = 0; n < 9; n++) await relay.admin('POST', '/admin/agents/bob@acme/keys', {});
    const { jti, token } = await mint(REJOIN);
    const { body } = await redeem(jti, { token });
    expect(await status(body.api_key)).toBe(200);
  });

  it('works once: of twenty at once, over both replicas, one succeeds, and one key lives', async () => {
    const { jti, token } = await mint(REJOIN);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => redeem(jti, { token }, urlOf(n))));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 410)).toHaveLength(19);
    expect(await relay.database.query('SELECT FROM api_keys WHERE revoked_at IS NULL')).toHaveLength(1);
  });

  it('closes the other invites for the same handle when it is redeemed: an older link takes nothing over', async () => {
    const { jti: older, token: olderToken } = await mint(REJOIN);
    const { jti: newcomer, token: newcomerToken } = await mint();
    const { jti, token } = await mint(REJOIN);
    const { body } = await redeem(jti, { token });
    expect(await redeem(older, { token: olderToken })).toMatchObject({ status: 410, body: { code: 'invite_expired' } });
    expect(await status(body.api_key)).toBe(200);
    expect(
      await relay.database.query(`SELECT payload FROM events WHERE type = 'invite.revoked' AND agent_id = $1`, [
        body.agent_id,
      ]),
    ).toEqual([{ payload: { jti: older } }]);
    expect((await redeem(newcomer, { token: newcomerToken })).status).toBe(201);
  });

  it('ends when its agent is disabled, and stays so', async () => {
    await relay.agent('grace@acme');
    const { jti, token } = await mint({ ...REJOIN, handle: 'grace@acme' });
    await relay.admin('DELETE', '/admin/agents/grace@acme');
    expect((await redeem(jti, { token })).status).toBe(410);
    await relay.admin('PATCH', '/admin/agents/grace@acme', { status: 'active' });
    expect((await redeem(jti, { token })).status).toBe(410);
  });
});

it('an invite ends when who invited is disabled, with an event, and stays so', async () => {
  const { jti, token } = await mint();
  await relay.admin('DELETE', '/admin/agents/bob@acme');
  expect(await redeem(jti, { token })).toMatchObject({ status: 410, body: { code: 'invite_expired' } });
  await relay.admin('PATCH', '/admin/agents/bob@acme', { status: 'active' });
  expect((await redeem(jti, { token })).status).toBe(410);
  expect(await relay.database.query(`SELECT payload FROM events WHERE type = 'invite.revoked'`)).toEqual([
    { payload: { jti } },
  ]);
});

describe('GET /join', () => {
  it('is one page for everybody, which says which command to paste and knows no invite', async () => {
    const { token, jti } = await mint();
    const plain = await relay.anonymous<string>('GET', '/join');
    const asked = await relay.anonymous<string>('GET', `/join?jti=${jti}&token=${token}`);
    expect([plain.status, asked.body]).toEqual([200, plain.body]);
    expect(plain.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(plain.body).toContain('agentrelay join');
    expect(plain.body).not.toContain(token);
  });
});

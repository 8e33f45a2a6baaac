import { handleFault, type WireAgent } from '@agentrelay/protocol';
import { restCall, useRelay } from '@agentrelay/testing';

const relay = useRelay({ RELAY_ADMIN_TOKENS: `ops:${'o'.repeat(31)}1` });

function register(body: object) {
  return relay.admin('POST', '/admin/agents', body);
}

describe('the admin API', () => {
  it.each([
    ['GET', '/admin/agents'],
    ['POST', '/admin/agents'],
    ['GET', '/admin/agents/bob@acme/keys'],
    ['POST', '/admin/agents/bob@acme/keys'],
    ['DELETE', '/admin/agents/bob@acme/keys/x'],
  ])('%s %s is 401 without a token and 403 with a wrong one, an API key included', async (method, path) => {
    const bob = await relay.agent('bob@acme');
    const wrong = await restCall(relay.url, 'w'.repeat(40), method, path);
    const asBob = await bob.rest(method, path);
    expect(await relay.anonymous(method, path)).toMatchObject({
      status: 401,
      body: { code: 'unauthenticated', message: 'Send the admin token in the header "Authorization: Bearer …".' },
    });
    for (const answer of [wrong, asBob]) expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });

  it('opens to every named token, and the event tells which was used', async () => {
    const answer = await restCall(relay.url, `${'o'.repeat(31)}1`, 'POST', '/admin/agents', { handle: 'bob@acme' });
    await relay.agent('frank@acme');
    expect(answer.status).toBe(201);
    expect(await relay.database.query('SELECT actor_kind, actor_name FROM events ORDER BY created_at')).toEqual([
      { actor_kind: 'admin', actor_name: 'ops' },
      { actor_kind: 'admin', actor_name: 'admin' },
    ]);
  });
});

describe('registering an agent', () => {
  it('answers with its id, canonical handle and a key that works', async () => {
    const { status, body } = await register({
      handle: 'Frank.B-2_x@Acme',
      email: 'frank@acme.example',
      display_name: 'Frank',
      role: 'backend',
      skills: ['sql'],
      repos_owned: ['acme/api'],
    });
    expect([status, Object.keys(body)]).toEqual([201, ['agent_id', 'handle', 'api_key']]);
    expect(body['handle']).toBe('frank.b-2_x@acme');
    expect(body['api_key']).toMatch(/^ar_test_[0-9A-Za-z]{50}$/);
    const me = await restCall(relay.url, body['api_key'] as string, 'GET', '/agents/me');
    expect(me.body).toEqual({
      id: body['agent_id'],
      agent_id: body['agent_id'],
      email: 'frank@acme.example',
      handle: 'frank.b-2_x@acme',
      name: 'Frank',
      role: 'backend',
      status: 'active',
      description: '',
      skills: ['sql'],
      repos_owned: ['acme/api'],
      owner_email: 'frank@acme.example',
      principal: 'agent',
    });
  });

  it('needs nothing but a handle', async () => {
    const { body } = await register({ handle: 'bob@acme' });
    const me = await restCall<WireAgent>(relay.url, body['api_key'] as string, 'GET', '/agents/me');
    expect(me.body).toMatchObject({ name: 'bob@acme', role: '', skills: [], repos_owned: [] });
    expect(me.body).not.toHaveProperty('owner_email');
  });

  it.each(['bob@acme', 'BOB@ACME'])('under a taken handle (%s) is a conflict that names the field', async (handle) => {
    await relay.agent('bob@acme');
    expect(await register({ handle, email: 'other@acme.example' })).toMatchObject({
      status: 409,
      body: { code: 'conflict', details: { field: 'handle' } },
    });
    expect(await relay.database.query('SELECT email FROM owners')).toEqual([{ email: 'bob.acme@acme.example' }]);
  });

  it('twenty times at once under one handle makes one agent', async () => {
    const body = { handle: 'bob@acme', email: 'bob@acme.example' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => register(body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    expect(await relay.database.query('SELECT handle FROM agents')).toEqual([{ handle: 'bob@acme' }]);
  });

  it('with a known e-mail address, in any case, attaches it to that owner', async () => {
    await register({ handle: 'bob@acme', email: 'Bob@Acme.example', display_name: 'Bob' });
    await register({ handle: 'bob-ci@acme', email: 'bob@aCME.example', display_name: 'CI' });
    await register({ handle: 'no-mail@acme' });
    await register({ handle: 'no-mail-2@acme' });
    expect(await relay.database.query(`SELECT email, display_name FROM owners WHERE email IS NOT NULL`)).toEqual([
      { email: 'Bob@Acme.example', display_name: 'Bob' },
    ]);
    expect(await relay.database.query('SELECT DISTINCT owner_id FROM agents')).toHaveLength(3);
  });

  it.each([
    [{ handle: 'bob' }, 'must look like name@team, with letters, digits, ".", "_" or "-"'],
    [{ handle: 'bob@acme@x' }, 'must look like name@team, with letters, digits, ".", "_" or "-"'],
    [{ handle: 'böb@acme' }, 'must look like name@team, with letters, digits, ".", "_" or "-"'],
    [{ handle: 'bob@acme\n' }, 'must look like name@team, with letters, digits, ".", "_" or "-"'],
    [{ handle: '..@acme' }, 'must not consist of dots only'],
    [{ handle: 'bob@.' }, 'must not consist of dots only'],
    [{ handle: 'me@acme' }, 'must not use the reserved name "me"'],
    [{ handle: 'TASKS@acme' }, 'must not use the reserved name "tasks"'],
    [{ handle: 'card@acme' }, 'must not use the reserved name "card"'],
  ])('refuses %p: handle %s', async (body, fault) => {
    const { status, body: answer } = await register(body);
    expect([status, answer['code'], answer['message'], answer['details']]).toEqual([
      400,
      'invalid_params',
      `handle ${fault}.`,
      { field: 'handle' },
    ]);
    expect(handleFault(body.handle)).toBe(fault);
  });

  it('takes a handle of 120 characters and refuses 121', async () => {
    expect((await register({ handle: `${'x'.repeat(115)}@acme` })).status).toBe(201);
    expect(await register({ handle: `${'x'.repeat(116)}@acme` })).toMatchObject({
      status: 400,
      body: { code: 'invalid_params', details: { faults: [{ field: 'handle' }] } },
    });
  });

  it.each([
    [{}, 'handle'],
    [{ handle: 7 }, 'handle'],
    [{ handle: 'bob@acme', email: 'nobody' }, 'email'],
    [{ handle: 'bob@acme', email: 'a b@acme.example' }, 'email'],
    [{ handle: 'bob@acme', email: '' }, 'email'],
    [{ handle: 'bob@acme', display_name: '' }, 'display_name'],
    [{ handle: 'bob@acme', display_name: 'x'.repeat(201) }, 'display_name'],
    [{ handle: 'bob@acme', role: 'x'.repeat(121) }, 'role'],
    [{ handle: 'bob@acme', skills: 'sql' }, 'skills'],
    [{ handle: 'bob@acme', is_admin: true }, 'is_admin'],
    [{ handle: 'bob@acme', display_name: 'x\u0000' }, 'display_name'],
  ])('refuses %p, naming %s', async (body, field) => {
    expect(await register(body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_params', details: { faults: [{ field }] } },
    });
  });
});

it('the list of agents goes through all of them, disabled ones included, page by page', async () => {
  for (const name of ['cat', 'ann', 'ben']) await relay.agent(`${name}@acme`);
  await relay.database.query(`UPDATE agents SET status = 'disabled' WHERE handle = 'ben@acme'`);
  const page = (query: string) =>
    relay.admin<{ agents: WireAgent[]; next_cursor: string | null }>('GET', `/admin/agents${query}`);
  const first = (await page('?limit=2')).body;
  expect(first.agents.map(({ handle, status }) => [handle, status])).toEqual([
    ['ann@acme', 'active'],
    ['ben@acme', 'disabled'],
  ]);
  const second = (await page(`?limit=2&cursor=${encodeURIComponent(first.next_cursor!)}`)).body;
  expect([second.agents.map(({ handle }) => handle), second.next_cursor]).toEqual([['cat@acme'], null]);
  expect((await page('')).body.agents).toHaveLength(3);
  for (const query of ['?limit=0', '?limit=201', '?limit=x', '?limit=1&limit=2', '?cursor=%00', '?before=a']) {
    expect([query, (await page(query)).status]).toEqual([query, 400]);
  }
});

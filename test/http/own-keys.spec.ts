import { eventually, restCall, type TestAgent, useReplicas } from '@agentrelay/testing';

const { relay, urlOf } = useReplicas(2);

interface Rotated {
  agent_id: string;
  api_key: string;
  key_id: string;
  expires_at: string | null;
}

interface Key {
  key_id: string;
  principal: string;
  label: string;
  parent_key_id: string | null;
  expires_at: string | null;
  current: boolean;
}

let bob: TestAgent;

beforeEach(async () => {
  bob = await relay.agent('bob@acme');
});

const works = async (agent: TestAgent): Promise<boolean> => (await agent.rest('GET', '/agents/me')).status === 200;
const refusedRotation = (agent: TestAgent, body?: object) => agent.rest('POST', '/agents/me/keys/rotate', body);

async function rotate(agent: TestAgent, body: object = {}): Promise<Rotated & { agent: TestAgent }> {
  const answer = await agent.rest<Rotated>('POST', '/agents/me/keys/rotate', body);
  expect(answer.status).toBe(200);
  return { ...answer.body, agent: agent.withKey(answer.body.api_key) };
}

async function issue(terms: object = {}): Promise<{ id: string; agent: TestAgent }> {
  const { body } = await relay.admin<{ key_id: string; api_key: string }>('POST', '/admin/agents/bob@acme/keys', terms);
  return { id: body.key_id, agent: bob.withKey(body.api_key) };
}

const list = async (agent: TestAgent): Promise<Key[]> =>
  (await agent.rest<{ keys: Key[] }>('GET', '/agents/me/keys')).body.keys;
const idOf = async (agent: TestAgent): Promise<string> => (await list(agent)).find(({ current }) => current)!.key_id;
const end = (agent: TestAgent, id: string, query = '') =>
  agent.rest<{ ended: string[] }>('DELETE', `/agents/me/keys/${id}${query}`);

describe('a key that its holder makes', () => {
  it('inherits label, principal and end, and names its parent', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    for (const principal of ['agent', 'human']) {
      const { id, agent } = await issue({ principal, label: `${principal} on the train`, expires_at });
      const made = await rotate(agent);
      expect(made.expires_at).toBe(expires_at);
      expect((await list(made.agent)).find(({ current }) => current)).toMatchObject({
        key_id: made.key_id,
        principal,
        label: `${principal} on the train`,
        parent_key_id: id,
        expires_at,
      });
    }
  });

  it('has the end that its parent had before that was rotated, also when the parent makes it again', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { agent } = await issue({ expires_at });
    await rotate(agent);
    expect((await rotate(agent)).expires_at).toBe(expires_at);
    const endless = await issue();
    await rotate(endless.agent);
    expect((await rotate(endless.agent)).expires_at).toBeNull();
  });

  it('never lives longer than what an administrator’s rotation leaves to its parent, which can make none', async () => {
    await rotate(bob);
    await relay.admin('POST', '/admin/agents/bob@acme/keys/rotate', { overlap_seconds: 60 });
    expect(await works(bob)).toBe(true);
    for (const body of [{}, { keep_others: true }, { overlap_seconds: 0 }]) {
      expect(await refusedRotation(bob, body)).toMatchObject({
        status: 409,
        body: { code: 'conflict', details: { field: 'key' } },
      });
    }
    const [fresh] = await relay.database.query<{ id: string }>('SELECT id FROM api_keys WHERE superseded_at IS NULL');
    expect((await end(bob, fresh!.id)).status).toBe(409);
    const own = await idOf(bob);
    expect((await end(bob, own)).status).toBe(200);
    expect(await works(bob)).toBe(false);
  });
});

describe('a rotation', () => {
  it('ends the other agent keys at once, whatever their overlap, and leaves those of a person', async () => {
    const human = await relay.humanOf(bob);
    const thief = await issue();
    const hidden = await rotate(thief.agent, { overlap_seconds: 86_400, keep_others: true });
    const made = await rotate(bob);
    expect(await Promise.all([thief.agent, hidden.agent, bob, made.agent, human].map(works))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
    const [event] = await relay.database.query<{ payload: { ended: string[] } }>(
      `SELECT payload FROM events WHERE type = 'key.rotated' ORDER BY id DESC LIMIT 1`,
    );
    expect(event!.payload.ended).toEqual([thief.id, hidden.key_id]);
  });

  it('with keep_others keeps them, but not what the calling key made before: an answer that was lost leaves no key', async () => {
    const other = await issue();
    const lost = await rotate(bob, { keep_others: true });
    const child = await rotate(lost.agent, { keep_others: true });
    const made = await rotate(bob, { keep_others: true });
    expect(await Promise.all([other.agent, lost.agent, child.agent, bob, made.agent].map(works))).toEqual([
      true,
      false,
      false,
      true,
      true,
    ]);
  });

  it('is never refused for too many keys; one that keeps the others is', async () => {
    for (let n = 0; n < 9; n++) await issue();
    expect(await refusedRotation(bob, { keep_others: true })).toMatchObject({
      status: 409,
      body: { code: 'conflict', details: { field: 'keys', limit: 10 } },
    });
    expect(await list(bob)).toHaveLength(10);
    await rotate(bob);
    expect(await list(bob)).toHaveLength(2);
  });

  it('beside nine keys of a person gives up its overlap rather than be refused', async () => {
    for (let n = 0; n < 9; n++) await issue({ principal: 'human' });
    const made = await rotate(bob);
    expect([await works(bob), await works(made.agent)]).toEqual([false, true]);
  });

  it('repeated under its idempotency key is a conflict, and under another one ends the key that was lost', async () => {
    const rotateAs = (key: string) =>
      fetch(`${relay.url}/agents/me/keys/rotate`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bob.apiKey}`, 'idempotency-key': key },
      });
    const lost = bob.withKey(((await (await rotateAs('once')).json()) as Rotated).api_key);
    const again = await rotateAs('once');
    expect([again.status, await again.json()]).toEqual([
      409,
      expect.objectContaining({ code: 'conflict', details: { field: 'idempotency_key' } }),
    ]);
    expect(await works(lost)).toBe(true);
    const made = bob.withKey(((await (await rotateAs('twice')).json()) as Rotated).api_key);
    expect([await works(lost), await works(made)]).toEqual([false, true]);
  });
});

describe('the list of own keys', () => {
  it('shows a person both kinds and an agent its own, alive ones only, and no key', async () => {
    const human = await relay.humanOf(bob);
    const second = await issue({ label: 'ci' });
    const ended = await issue();
    await end(bob, ended.id);
    const shown = await list(bob);
    expect(shown.map(({ label, principal, current }) => [label, principal, current])).toEqual([
      ['ci', 'agent', false],
      ['first key', 'agent', true],
    ]);
    expect((await list(human)).map(({ principal, current }) => [principal, current])).toEqual([
      ['agent', false],
      ['human', true],
      ['agent', false],
    ]);
    expect(JSON.stringify(shown)).not.toContain('ar_test_');
    expect((await list(second.agent))[0]).toMatchObject({ key_id: second.id, current: true });
  });
});

describe('ending a key', () => {
  it('ends what it made, and says which ended', async () => {
    const stolen = await issue();
    const child = await rotate(stolen.agent, { keep_others: true });
    const grandchild = await rotate(child.agent, { keep_others: true });
    const { status, body } = await end(bob, stolen.id);
    expect([status, body]).toEqual([200, { key_id: stolen.id, ended: [stolen.id, child.key_id, grandchild.key_id] }]);
    expect(await Promise.all([bob, stolen.agent, child.agent, grandchild.agent].map(works))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect((await end(bob, stolen.id)).status).toBe(404);
    const events = await relay.database.query(
      `SELECT actor_kind, payload FROM events WHERE type = 'key.revoked' ORDER BY id`,
    );
    expect(events).toEqual([
      { actor_kind: 'agent', payload: { key_id: stolen.id } },
      { actor_kind: 'agent', payload: { key_id: child.key_id, descends_from: stolen.id } },
      { actor_kind: 'agent', payload: { key_id: grandchild.key_id, descends_from: stolen.id } },
    ]);
  });

  it('keeps what it made on demand, for administrators too', async () => {
    const first = await issue();
    const child = await rotate(first.agent, { keep_others: true });
    expect((await end(bob, first.id, '?descendants=keep')).body.ended).toEqual([first.id]);
    expect([await works(first.agent), await works(child.agent)]).toEqual([false, true]);
    const grandchild = await rotate(child.agent, { keep_others: true });
    const path = `/admin/agents/bob@acme/keys/${child.key_id}`;
    expect((await relay.admin('DELETE', `${path}?descendants=keep`)).body).toEqual({
      key_id: child.key_id,
      ended: [child.key_id],
    });
    expect(await works(grandchild.agent)).toBe(true);
    // Of a key that has ended what it made can be ended still.
    expect((await relay.admin('DELETE', path)).body).toEqual({ key_id: child.key_id, ended: [grandchild.key_id] });
    expect((await relay.admin('DELETE', `${path}?descendants=all`)).status).toBe(400);
  });

  it('spares the calling key, unless it is the one: a successor may end what it replaced', async () => {
    const old = await idOf(bob);
    const made = await rotate(bob);
    expect((await end(made.agent, old)).body.ended).toEqual([old]);
    expect([await works(bob), await works(made.agent)]).toEqual([false, true]);
    expect((await end(made.agent, made.key_id)).body.ended).toEqual([made.key_id]);
    expect(await works(made.agent)).toBe(false);
  });

  it('of a person is nothing that an agent can do, or learn of; the other way round it is', async () => {
    const human = await relay.humanOf(bob);
    const humanId = await idOf(human);
    const unknown = '0198f7c0-0000-7000-8000-000000000000';
    const refusals = await Promise.all([humanId, unknown, 'x', '%00'].map((id) => end(bob, id)));
    expect(
      new Set(refusals.map(({ status, body }) => `${status} ${(body as unknown as { message: string }).message}`)).size,
    ).toBe(1);
    expect(refusals[0]!.status).toBe(404);
    expect(await works(human)).toBe(true);
    expect((await end(human, await idOf(bob))).status).toBe(200);
    expect([await works(bob), await works(human)]).toEqual([false, true]);
  });

  it('of another agent is not found', async () => {
    const frank = await relay.agent('frank@acme');
    expect((await end(frank, await idOf(bob))).status).toBe(404);
    expect(await works(bob)).toBe(true);
  });

  it('reaches the other replica within a second', async () => {
    const stolen = await issue();
    const elsewhere = stolen.agent.at(urlOf(1));
    expect(await works(elsewhere)).toBe(true);
    await end(bob, stolen.id);
    await eventually('it ended elsewhere', async () => !(await works(elsewhere)), 1_500);
  });
});

describe('a key that was revoked a moment ago, and is still cached on another replica', () => {
  it('buys no living key and ends none', async () => {
    const stolen = await issue();
    const elsewhere = stolen.agent.at(urlOf(1));
    expect(await works(elsewhere)).toBe(true);
    await end(bob, stolen.id);
    const own = await idOf(bob);
    expect((await restCall(urlOf(1), elsewhere.apiKey, 'POST', '/agents/me/keys/rotate')).status).toBe(401);
    expect((await end(elsewhere, own)).status).toBe(401);
    expect((await list(bob)).map(({ key_id }) => key_id)).toEqual([own]);
  });
});

import { acceptedUntil, eventually, restCall, type TestAgent, useReplicas } from '@agentrelay/testing';

const { relay, urlOf } = useReplicas(2);

interface Rotated {
  agent_id: string;
  api_key: string;
  key_id: string;
}

let bob: TestAgent;

beforeEach(async () => {
  bob = await relay.agent('bob@acme');
});

const works = async (agent: TestAgent): Promise<boolean> => (await agent.rest('GET', '/agents/me')).status === 200;
const rotate = (agent: TestAgent, body?: object) => agent.rest<Rotated>('POST', '/agents/me/keys/rotate', body);
const rotateByAdmin = (body?: object) => relay.admin<Rotated>('POST', '/admin/agents/bob@acme/keys/rotate', body);

async function keys() {
  return relay.database.query<{ id: string; principal: string; life: number | null; alive: boolean }>(
    `SELECT id, principal, round(extract(epoch FROM expires_at - now()))::integer AS life,
       expires_at IS NULL OR expires_at > now() AS alive FROM api_keys ORDER BY created_at, id`,
  );
}

describe('rotating the own key', () => {
  it('gives a new one, and leaves the old one alive for 60 seconds', async () => {
    const { status, body } = await rotate(bob);
    expect([status, body]).toEqual([
      200,
      {
        agent_id: bob.agentId,
        api_key: expect.stringMatching(/^ar_test_/) as string,
        key_id: expect.any(String) as string,
        expires_at: null,
      },
    ]);
    const fresh = bob.withKey(body.api_key);
    expect([await works(fresh), await works(bob)]).toEqual([true, true]);
    const [old, made] = await keys();
    expect([made!.id, made!.life]).toEqual([body.key_id, null]);
    expect(old!.life).toBeGreaterThanOrEqual(55);
    expect(old!.life).toBeLessThanOrEqual(60);
    await relay.database.query(`UPDATE api_keys SET expires_at = now() WHERE expires_at IS NOT NULL`);
    await eventually('the old key died', async () => !(await works(bob)));
    expect(await works(fresh)).toBe(true);
  });

  it('without overlap kills the old one at once here, and within a second on the other replica', async () => {
    const elsewhere = bob.at(urlOf(1));
    expect([await works(bob), await works(elsewhere)]).toEqual([true, true]);
    const { body } = await rotate(bob, { overlap_seconds: 0 });
    const start = performance.now();
    expect(await works(bob)).toBe(false);
    expect(await acceptedUntil(start, () => works(elsewhere))).toBeLessThan(1_000);
    expect(await works(elsewhere.withKey(body.api_key))).toBe(true);
  });

  it('replaces the calling key only, and keeps its principal', async () => {
    const human = await relay.humanOf(bob);
    const { body } = await rotate(human, { overlap_seconds: 0 });
    expect([await works(bob), await works(human)]).toEqual([true, false]);
    const me = await human.withKey(body.api_key).rest('GET', '/agents/me');
    expect([me.body['handle'], me.body['principal']]).toEqual(['bob@acme', 'human']);
  });

  it('never lets the old key live longer than it would have', async () => {
    await relay.database.query(`UPDATE api_keys SET expires_at = now() + interval '20 seconds'`);
    await rotate(bob, { overlap_seconds: 3_600 });
    expect((await keys())[0]!.life).toBeLessThanOrEqual(20);
  });

  it('leaves an event of the agent that names both keys and holds neither', async () => {
    const { body } = await rotate(bob, { overlap_seconds: 5 });
    const [old] = await keys();
    expect(
      await relay.database.query(
        `SELECT actor_kind, actor_id, agent_id, payload FROM events WHERE type = 'key.rotated'`,
      ),
    ).toEqual([
      {
        actor_kind: 'agent',
        actor_id: bob.agentId,
        agent_id: bob.agentId,
        payload: { key_id: body.key_id, replaces: [old!.id], overlap_seconds: 5 },
      },
    ]);
    expect(await relay.database.dump()).not.toContain(body.api_key.slice(-38));
  });

  it('keeps what was written idempotent under the old key idempotent under the new one', async () => {
    await relay.agent('frank@acme');
    const first = await bob.send('frank', { idempotency_key: 'k' });
    const { body } = await rotate(bob);
    expect(await bob.withKey(body.api_key).send('frank', { idempotency_key: 'k' })).toEqual({
      replayed: true,
      ...first,
    });
  });

  it.each([-1, 1.5, '60', 86_401])('refuses the overlap %p and changes nothing', async (overlap) => {
    expect(await rotate(bob, { overlap_seconds: overlap })).toMatchObject({
      status: 400,
      body: { code: 'invalid_params', details: { faults: [{ field: 'overlap_seconds' }] } },
    });
    expect(await keys()).toHaveLength(1);
  });
});

describe('rotation by an administrator', () => {
  it("replaces all keys of the agent's principal, and leaves those of its person", async () => {
    const second = bob.withKey(
      (await relay.admin<Rotated>('POST', '/admin/agents/bob@acme/keys', { label: 'ci' })).body.api_key,
    );
    const human = await relay.humanOf(bob);
    expect([await works(bob), await works(second)]).toEqual([true, true]);
    const { status, body } = await rotateByAdmin({ overlap_seconds: 0 });
    expect([status, body.agent_id]).toEqual([201, bob.agentId]);
    const all = [bob, second, human, bob.withKey(body.api_key)];
    expect(await Promise.all(all.map(works))).toEqual([false, false, true, true]);
  });

  it('of the human keys leaves the agent its own, with 60 seconds of overlap unless told otherwise', async () => {
    const human = await relay.humanOf(bob);
    const { body } = await rotateByAdmin({ principal: 'human' });
    const me = await restCall<{ principal: string }>(relay.url, body.api_key, 'GET', '/agents/me');
    expect([await works(bob), await works(human), me.body.principal]).toEqual([true, true, 'human']);
    const lives = (await keys()).map(({ principal, life }) => [principal, life !== null && life > 50 && life <= 60]);
    expect(lives).toEqual([
      ['agent', false],
      ['human', true],
      ['human', false],
    ]);
    expect(await relay.database.query(`SELECT actor_kind, actor_name FROM events WHERE type = 'key.rotated'`)).toEqual([
      { actor_kind: 'admin', actor_name: 'admin' },
    ]);
  });

  it('of nobody is not found', async () => {
    expect(await relay.admin('POST', '/admin/agents/nobody@acme/keys/rotate')).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });
});

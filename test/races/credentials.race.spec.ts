import { restCall, TEST_ADMIN_TOKEN as ADMIN, type TestAgent, useReplicas } from '@agentrelay/testing';

const { relay, urlOf } = useReplicas(2);

/** `npm run soak` tries many. */
const ROUNDS = process.env['SOAK'] === '1' ? 60 : 5;
/** Parallel attempts of the holder of a key in each round, half on each replica. */
const ATTEMPTS = 12;

const works = async (agent: TestAgent): Promise<boolean> => (await agent.rest('GET', '/agents/me')).status === 200;

/** What the attempts got: keys that were issued, and the statuses of all answers. */
async function rotateAtOnce(agent: TestAgent): Promise<{ made: TestAgent[]; statuses: number[] }> {
  const answers = await Promise.all(
    Array.from({ length: ATTEMPTS }, (_, n) =>
      restCall<{ api_key: string }>(urlOf(n), agent.apiKey, 'POST', '/agents/me/keys/rotate', {
        keep_others: n % 3 === 0,
        overlap_seconds: n % 2 === 0 ? 60 : 86_400,
      }),
    ),
  );
  const made = answers.filter(({ status }) => status === 200).map(({ body }) => agent.withKey(body.api_key));
  return { made, statuses: answers.map(({ status }) => status) };
}

/** The keys of the agent that live, by the database. */
function living(agentId: string, notBy = ''): Promise<{ id: string }[]> {
  return relay.database.query<{ id: string }>(
    `SELECT id FROM api_keys WHERE agent_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
       AND label <> $2`,
    [agentId, notBy],
  );
}

async function keyIdOf(agent: TestAgent): Promise<string> {
  const { body } = await agent.rest<{ keys: { key_id: string; current: boolean }[] }>('GET', '/agents/me/keys');
  return body.keys.find(({ current }) => current)!.key_id;
}

describe('a key whose holder rotates it again and again, on two replicas', () => {
  it.each([
    [
      'is revoked',
      async (agent: TestAgent, id: string) => relay.admin('DELETE', `/admin/agents/${agent.handle}/keys/${id}`),
    ],
    [
      'is of an agent that is disabled',
      async (agent: TestAgent) => relay.admin('DELETE', `/admin/agents/${agent.handle}`),
    ],
  ])('leaves no living successor when it %s meanwhile', async (_, end) => {
    const all: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const agent = await relay.agent();
      const id = await keyIdOf(agent);
      expect([await works(agent), await works(agent.at(urlOf(1)))]).toEqual([true, true]);
      const [{ made, statuses }, ended] = await Promise.all([rotateAtOnce(agent), end(agent, id)]);
      expect(ended.status).toBe(200);
      expect(await living(agent.agentId)).toEqual([]);
      // What is still cached elsewhere buys nothing either.
      expect((await rotateAtOnce(agent)).made).toEqual([]);
      for (const successor of made) expect(await works(successor)).toBe(false);
      all.push(...statuses);
    }
    expect(all.filter((status) => status !== 200 && status !== 401 && status !== 409)).toEqual([]);
  });

  it('leaves only the administrator’s key when an administrator rotates meanwhile', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const agent = await relay.agent();
      expect([await works(agent), await works(agent.at(urlOf(1)))]).toEqual([true, true]);
      const overlap_seconds = round % 3 === 0 ? 60 : 0;
      const [{ made }, { body }] = await Promise.all([
        rotateAtOnce(agent),
        relay.admin<{ api_key: string; key_id: string }>('POST', `/admin/agents/${agent.handle}/keys/rotate`, {
          overlap_seconds,
        }),
      ]);
      // Whatever its overlap has left ends with it, and makes no other.
      const again = await Promise.all([agent, ...made].map((holder) => rotateAtOnce(holder)));
      expect(again.flatMap((answer) => answer.made)).toEqual([]);
      const [row] = await relay.database.query<{ longest: number }>(
        `SELECT coalesce(max(extract(epoch FROM coalesce(expires_at, 'infinity') - now())), 0)::float8 AS longest FROM api_keys
         WHERE agent_id = $1 AND id <> $2 AND revoked_at IS NULL`,
        [agent.agentId, body.key_id],
      );
      expect(row!.longest).toBeLessThanOrEqual(60);
      expect(await works(agent.withKey(body.api_key))).toBe(true);
    }
  });

  it('leaves nothing living when it is disabled, enabled and disabled meanwhile, and none of it comes back', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const agent = await relay.agent();
      expect(await works(agent.at(urlOf(1)))).toBe(true);
      const cycle = async (): Promise<void> => {
        await relay.admin('DELETE', `/admin/agents/${agent.handle}`);
        await relay.admin('PATCH', `/admin/agents/${agent.handle}`, { status: 'active' });
      };
      await Promise.all([rotateAtOnce(agent), cycle(), rotateAtOnce(agent)]);
      expect(await living(agent.agentId)).toEqual([]);
      expect((await rotateAtOnce(agent)).made).toEqual([]);
    }
  });

  it('leaves one chain when it is only rotated: the last successor, and what overlaps with it', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const agent = await relay.agent();
      const answers = await Promise.all(
        Array.from({ length: ATTEMPTS }, (_, n) => agent.at(urlOf(n)).rest('POST', '/agents/me/keys/rotate')),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(await living(agent.agentId)).toHaveLength(2);
    }
  });
});

describe('an agent that is erased and enabled at once', () => {
  it('is either erased for good or active under its handle, and never both', async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < ROUNDS * 4; round++) {
      const agent = await relay.agent();
      const path = `/admin/agents/${agent.handle}`;
      await relay.admin('DELETE', path);
      const at = (n: number, method: string, route: string, body?: object) =>
        restCall<{ handle: string }>(urlOf(n + round), ADMIN, method, route, body);
      const [erased, enabled] = await Promise.all([
        at(0, 'POST', `${path}/erase`),
        at(1, 'PATCH', path, { status: 'active' }),
      ]);
      const [row] = await relay.database.query<{ handle: string; status: string }>(
        'SELECT handle, status FROM agents WHERE id = $1',
        [agent.agentId],
      );
      const isErased = row!.handle !== agent.handle;
      expect([erased.status, enabled.status, row!.status]).toEqual(
        isErased ? [200, 404, 'disabled'] : [409, 200, 'active'],
      );
      outcomes.add(isErased ? 'erased' : 'enabled');
      if (isErased) {
        const later = await relay.admin('PATCH', `/admin/agents/${row!.handle}`, { status: 'active' });
        expect(later).toMatchObject({ status: 409, body: { code: 'conflict', details: { field: 'status' } } });
      }
    }
    expect(outcomes.size).toBeGreaterThanOrEqual(1);
  });
});

describe('work that is given back while its recipient is enabled again', () => {
  it('is never taken from a handoff that was sent after that', async () => {
    const bob = await relay.agent('bob@acme');
    for (let round = 0; round < ROUNDS; round++) {
      const frank = await relay.agent();
      await Promise.all(Array.from({ length: 4 }, () => bob.send(frank.handle)));
      const path = `/admin/agents/${frank.handle}`;
      const disabling = relay.admin('DELETE', path);
      const sent: string[] = [];
      const enabling = (async () => {
        for (let n = 0; n < 30; n++) {
          const { body } = await restCall<{ status: string }>(urlOf(1), ADMIN, 'PATCH', path, { status: 'active' });
          const answer = await bob.at(urlOf(1)).rpc('message/send', {
            recipient: frank.handle,
            message: { role: 'user', parts: [{ type: 'text', text: 'x' }] },
          });
          const result = (answer.body as { result?: { task_id: string } }).result;
          const [last] = await relay.database.query<{ type: string }>(
            `SELECT type FROM events WHERE agent_id = $1 AND type IN ('agent.disabled', 'agent.enabled') ORDER BY id DESC LIMIT 1`,
            [frank.agentId],
          );
          if (result !== undefined && last?.type === 'agent.enabled' && body.status === 'active') {
            sent.push(result.task_id);
            return;
          }
        }
      })();
      await Promise.all([disabling, enabling]);
      for (const id of sent) expect((await bob.get(id)).status).toEqual({ state: 'pending' });
    }
  });
});

import { type Answer, type TestAgent, text, useRelay } from '@agentrelay/testing';

/** Five at once, then one a minute. */
const relay = useRelay({ RELAY_RATE_PER_MINUTE: '1', RELAY_RATE_BURST: '5' });

let bob: TestAgent;

beforeEach(async () => {
  bob = await relay.agent('bob@acme');
});

const RPC = (): Promise<Answer> => bob.rpc('agents/list');
const REST = (): Promise<Answer> => bob.rest('GET', '/agents/me');

function headers({ headers: all }: Answer): (string | null)[] {
  return ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].map((name) => all.get(name));
}

async function spend(calls: number): Promise<void> {
  for (let n = 0; n < calls; n++) expect((await REST()).status).toBe(200);
}

describe('the rate of an agent', () => {
  it.each([
    ['JSON-RPC', RPC],
    ['REST', REST],
  ])(
    'lets the burst through over %s, counts down in headers, and then refuses until a token is there',
    async (_, call) => {
      for (const remaining of ['4', '3', '2', '1', '0']) {
        const answer = await call();
        expect([answer.status, headers(answer)]).toEqual([200, ['5', remaining, '0', null]]);
      }
      const refused = await call();
      const [limit, remaining, reset, retryAfter] = headers(refused);
      expect([refused.status, limit, remaining, reset]).toEqual([429, '5', '0', retryAfter]);
      expect(Number(retryAfter)).toBeGreaterThan(50);
      expect(Number(retryAfter)).toBeLessThanOrEqual(60);
    },
  );

  it('is told in the shape of each API, with the milliseconds to wait', async () => {
    await spend(5);
    const message = expect.stringMatching(/^This agent calls too often; try again in \d+ s\.$/) as string;
    const details = { limit: 5, retry_after_ms: expect.any(Number) as number };
    expect(await bob.refusal('agents/list')).toEqual({
      symbol: 'rate_limited',
      code: -32003,
      status: 429,
      message,
      details,
    });
    expect((await REST()).body).toMatchObject({ code: 'rate_limited', message, details });
  });

  it('is one for both APIs, and counts refused calls too', async () => {
    await RPC();
    await bob.refusal('nothing/known');
    await bob.refusal('tasks/get', { task_id: 'x' });
    await bob.rest('PUT', '/agents/me/card', { skills: 'x' });
    expect((await REST()).status).toBe(200);
    expect([(await REST()).status, (await RPC()).status]).toEqual([429, 429]);
  });

  it('comes before everything that a call could find out or change', async () => {
    const frank = await relay.agent('frank@acme');
    await spend(5);
    const refused = [
      await bob.refusal('message/send', { recipient: 'frank', message: text('x') }),
      await bob.refusal('message/send', { recipient: 7 }),
      await bob.refusal('nothing/known'),
    ];
    expect(refused.map(({ symbol }) => symbol)).toEqual(['rate_limited', 'rate_limited', 'rate_limited']);
    expect((await bob.rest('POST', '/agents/me/block', { handle: 'frank' })).status).toBe(429);
    expect(await frank.call('tasks/list')).toMatchObject({ items: [] });
    expect(await relay.database.query('SELECT FROM blocks')).toEqual([]);
  });

  it('is spent by the entries of a batch one by one, in order', async () => {
    const entry = { jsonrpc: '2.0', method: 'agents/list' };
    const { status, body } = await bob.post<{ id: number; error?: { code: number; data: object } }[]>(
      JSON.stringify(Array.from({ length: 7 }, (_, id) => ({ ...entry, id }))),
    );
    expect([status, body.map(({ id }) => id)]).toEqual([200, [0, 1, 2, 3, 4, 5, 6]]);
    expect(body.map(({ error }) => error?.code)).toEqual([
      ...Array.from({ length: 5 }, () => undefined),
      -32003,
      -32003,
    ]);
    expect(body[6]!.error!.data).toMatchObject({
      code: 'rate_limited',
      details: { limit: 5, retry_after_ms: expect.any(Number) as number },
    });
  });

  it('is spent by a long poll once, however long it waits', async () => {
    await bob.call('events/list', { wait_ms: 700 });
    await spend(4);
    expect((await REST()).status).toBe(429);
  });

  it('is one for all its keys, and another one for the person behind it', async () => {
    const human = await relay.humanOf(bob);
    const { body } = await relay.admin<{ api_key: string }>('POST', '/admin/agents/bob@acme/keys', {});
    const second = bob.withKey(body.api_key);
    await spend(4);
    expect((await second.rest('GET', '/agents/me')).status).toBe(200);
    expect([(await REST()).status, (await second.rpc('agents/list')).status]).toEqual([429, 429]);
    expect((await human.rest('GET', '/agents/me')).headers.get('ratelimit-remaining')).toBe('4');
  });

  it('does not bound administrators and probes', async () => {
    for (let n = 0; n < 7; n++) {
      expect((await relay.admin('GET', '/admin/agents')).status).toBe(200);
      expect((await relay.anonymous('GET', '/healthz')).status).toBe(200);
    }
  });
});

import { type TestAgent, useRelay } from '@agentrelay/testing';

/** Three at once, then one every twenty seconds; the tests come over a proxy that is trusted. */
const relay = useRelay({ RELAY_FAILED_AUTH_PER_MINUTE: '3', RELAY_TRUSTED_PROXIES: '10.0.0.0/8,127.0.0.1' });

let bob: TestAgent;
let client: string;
let clients = 0;

beforeEach(async () => {
  bob = await relay.agent('bob@acme');
  client = `192.0.2.${++clients}`;
});

interface Attempt {
  path?: string;
  token?: string;
  body?: object;
  forwarded?: string;
  url?: string;
}

async function attempt({ path = '/agents/me', token, body, forwarded = client, url = relay.url }: Attempt) {
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'x-forwarded-for': forwarded,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

const statuses = async (attempts: Attempt[]): Promise<number[]> => {
  const all: number[] = [];
  for (const one of attempts) all.push((await attempt(one)).status);
  return all;
};

const WRONG_ADMIN = { path: '/admin/agents', token: 'w'.repeat(40) };
const REDEEM = { path: '/invites/0198f7c0-0000-7000-8000-000000000000/redeem', body: { token: 'guess' } };

describe('failed authentications of one client address', () => {
  it('are refused from the fourth on, which says how long to wait', async () => {
    expect(await statuses([{}, { token: 'x' }, { token: bob.apiKey.slice(0, -1) }])).toEqual([401, 401, 401]);
    const refused = await attempt({ token: 'x' });
    expect(refused).toMatchObject({
      status: 429,
      body: {
        code: 'rate_limited',
        message: expect.stringMatching(
          /^Too many failed authentications from this address; try again in \d+ s\.$/,
        ) as string,
        details: { limit: 3, retry_after_ms: expect.any(Number) as number },
      },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(10);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(20);
  });

  it.each([
    ['API keys', { token: 'x' }, 401],
    ['admin tokens', WRONG_ADMIN, 403],
    ['invites', REDEEM, 401],
  ])('are counted for %s', async (_, guess, status) => {
    expect(await statuses([guess, guess, guess, guess])).toEqual([status, status, status, 429]);
  });

  it('are counted together, whatever was guessed', async () => {
    expect(await statuses([{ token: 'x' }, WRONG_ADMIN, REDEEM, { token: 'x' }, WRONG_ADMIN, REDEEM])).toEqual([
      401, 403, 401, 429, 429, 429,
    ]);
  });

  it('are told on the native API in its own shape, without the id of a call that was not read', async () => {
    const guess = { path: '/a2a', token: 'x', body: { jsonrpc: '2.0', id: 7, method: 'agents/list' } };
    await statuses([guess, guess, guess]);
    expect(await attempt(guess)).toMatchObject({
      status: 429,
      body: { jsonrpc: '2.0', id: null, error: { code: -32003, data: { code: 'rate_limited' } } },
    });
  });

  it('do not keep a good key of the same address out, nor a guess of another address', async () => {
    expect(await statuses([{}, {}, {}, {}])).toEqual([401, 401, 401, 429]);
    expect((await attempt({ token: bob.apiKey })).status).toBe(200);
    expect((await attempt({ forwarded: '198.51.100.7' })).status).toBe(401);
  });

  it('are no matter for calls that succeed', async () => {
    expect(await statuses(Array.from({ length: 6 }, () => ({ token: bob.apiKey })))).toEqual([
      200, 200, 200, 200, 200, 200,
    ]);
    expect(await statuses([{}, {}, {}, {}])).toEqual([401, 401, 401, 429]);
  });

  it('bound redeeming, also with the right token', async () => {
    const invite = { handle: 'grace@acme', inviter_handle: 'bob@acme' };
    const { body } = await relay.admin<{ url: string; jti: string }>('POST', '/admin/invites', invite);
    const right = { path: `/invites/${body.jti}/redeem`, body: { token: body.url.split('.').at(-1) } };
    expect(await statuses([REDEEM, REDEEM, REDEEM, right])).toEqual([401, 401, 401, 429]);
    expect((await attempt({ ...right, forwarded: '198.51.100.8' })).status).toBe(201);
  });
});

describe('a forwarded address', () => {
  it('counts only from a trusted proxy: otherwise the connection itself does', async () => {
    const direct = await relay.replica({ RELAY_TRUSTED_PROXIES: '10.0.0.0/8' });
    const from = (n: number) => ({ forwarded: `203.0.113.${n}`, url: direct.url });
    expect(await statuses([from(1), from(2), from(3), from(4)])).toEqual([401, 401, 401, 429]);
    await direct.app.close();
    expect(await statuses([1, 2, 3, 4].map((n) => ({ forwarded: `203.0.113.${n}` })))).toEqual([401, 401, 401, 401]);
  });

  it('is the last one that no trusted proxy wrote: what a client made up before it counts for nothing', async () => {
    const chain = (n: number) => ({ forwarded: `198.51.100.${n}, ${client}, 10.1.2.3` });
    expect(await statuses([chain(1), chain(2), chain(3), chain(4)])).toEqual([401, 401, 401, 429]);
  });
});

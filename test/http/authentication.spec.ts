import { newApiKey } from '../../apps/relay/src/identity/api-key-format';
import { eventually, restCall, useReplicas } from '@agentrelay/testing';

const { relay, urlOf } = useReplicas(2);

interface RestError {
  code: string;
  message: string;
}

const CALL = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'agents/list' });

/** How the relay answers one Authorization header on both kinds of API. */
async function ask(authorization: string | undefined) {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  const rest = await fetch(`${relay.url}/agents/me`, { headers });
  const rpc = await fetch(`${relay.url}/a2a`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: CALL,
  });
  const { code, message } = (await rest.json()) as RestError;
  const answer = (await rpc.json()) as { id: null; error: { code: number; message: string; data: { code: string } } };
  expect([rpc.status, answer.id, answer.error.message, answer.error.data.code]).toEqual([
    rest.status,
    // The body has not been read.
    null,
    message,
    code,
  ]);
  expect([rest, rpc].map((response) => response.headers.get('www-authenticate'))).toEqual(
    Array.from({ length: 2 }, () => 'Bearer realm="agentrelay"'),
  );
  return { status: rest.status, code, message };
}

const MISSING = 'Send your API key (ar_…) in the header "Authorization: Bearer …".';
const NO_BEARER = 'The Authorization header is not of the form "Bearer …"; send your API key (ar_…) there.';
const MISTYPED = 'This is not an AgentRelay key (its checksum is wrong); copy it again as a whole.';
const REFUSED = 'The key is not accepted (unknown, expired or revoked); ask an administrator for a new one.';

function swapped(text: string, at: number): string {
  return `${text.slice(0, at)}${text[at + 1]}${text[at]}${text.slice(at + 2)}`;
}

describe('a request without a valid key', () => {
  it.each([
    ['without the header', undefined, MISSING],
    ['with Basic', 'Basic Ym9iOnNlY3JldA==', NO_BEARER],
    ['with a bare key', 'ar_test_x', NO_BEARER],
    ['with an empty Bearer', 'Bearer', NO_BEARER],
    ['with two words', 'Bearer a b', NO_BEARER],
    ['with something else', 'Bearer hunter2', MISTYPED],
    ['with an endless one', `Bearer ${'x'.repeat(8_000)}`, MISTYPED],
  ])('%s is 401 and says so', async (_, header, message) => {
    expect(await ask(header)).toEqual({ status: 401, code: 'unauthenticated', message });
  });

  it('tells a typo, anywhere in the key, from a key that is not accepted', async () => {
    const { apiKey } = await relay.agent('bob@acme');
    for (const typo of [
      apiKey.slice(1),
      apiKey.slice(0, -1),
      `${apiKey}0`,
      apiKey.toUpperCase(),
      swapped(apiKey, 30),
    ]) {
      if (typo !== apiKey) expect((await ask(`Bearer ${typo}`)).message).toBe(MISTYPED);
    }
  });

  it('does not say whether a key is unknown, expired, revoked or of a disabled agent', async () => {
    const bob = await relay.agent('bob@acme');
    const grace = await relay.agent('grace@acme');
    const dora = await relay.agent('dora@acme');
    await relay.database.query(
      `UPDATE api_keys SET revoked_at = CASE WHEN agent_id = $1 THEN now() END, expires_at = CASE WHEN agent_id = $2 THEN now() END`,
      [bob.agentId, grace.agentId],
    );
    await relay.database.query(`UPDATE agents SET status = 'disabled' WHERE id = $1`, [dora.agentId]);
    for (const apiKey of [bob.apiKey, grace.apiKey, dora.apiKey, newApiKey('ar_test_').text]) {
      expect(await ask(`Bearer ${apiKey}`)).toEqual({ status: 401, code: 'unauthenticated', message: REFUSED });
    }
  });

  it('is refused with a key whose secret does not match its public id', async () => {
    const { apiKey } = await relay.agent('bob@acme');
    await relay.database.query(`UPDATE api_keys SET secret_mac = decode(repeat('00', 32), 'hex')`);
    expect((await ask(`Bearer ${apiKey}`)).message).toBe(REFUSED);
  });

  it('takes the scheme in any case and spaces around the key', async () => {
    const { apiKey } = await relay.agent('bob@acme');
    for (const authorization of [`bearer ${apiKey}`, `BEARER   ${apiKey}  `]) {
      const { status } = await fetch(`${relay.url}/agents/me`, { headers: { authorization } });
      expect(status).toBe(200);
    }
  });

  it('is refused on every API for agents, also with an admin token', async () => {
    const routes: [string, string][] = [
      ['GET', '/agents/me'],
      ['PUT', '/agents/me/card'],
      ['GET', '/agents/me/block'],
      ['POST', '/agents/me/block'],
      ['DELETE', '/agents/me/block/bob'],
      ['POST', '/a2a'],
    ];
    for (const [method, path] of routes) {
      expect([method, path, (await relay.admin(method, path)).status]).toEqual([method, path, 401]);
      expect([method, path, (await relay.anonymous(method, path)).status]).toEqual([method, path, 401]);
    }
  });
});

/** Asks all the time, and returns the status of the first call that began a second after this moment. */
function statusAfterASecond(call: () => Promise<{ status: number }>): Promise<number> {
  const start = performance.now();
  return eventually('a call begins a second later', async () => {
    const late = performance.now() - start >= 1_000;
    const { status } = await call();
    return late && status;
  });
}

describe('a revoked key', () => {
  it('is refused at once by the replica that revoked it, and within a second by the others', async () => {
    const bob = await relay.agent('bob@acme');
    const elsewhere = () => restCall<object>(urlOf(1), bob.apiKey, 'GET', '/agents/me');
    expect([(await bob.rest('GET', '/agents/me')).status, (await elsewhere()).status]).toEqual([200, 200]);
    const { body } = await relay.admin<{ keys: { key_id: string }[] }>('GET', '/admin/agents/bob@acme/keys');
    const { status } = await relay.admin('DELETE', `/admin/agents/bob@acme/keys/${body.keys[0]!.key_id}`);
    expect(status).toBe(200);
    expect((await bob.rest('GET', '/agents/me')).status).toBe(401);
    expect(await statusAfterASecond(elsewhere)).toBe(401);
  });

  it('is refused within a second also when it is busy all the time', async () => {
    const bob = await relay.agent('bob@acme');
    expect((await bob.rest('GET', '/agents/me')).status).toBe(200);
    await relay.database.query('UPDATE api_keys SET revoked_at = now()');
    expect(await statusAfterASecond(() => bob.rest('GET', '/agents/me'))).toBe(401);
  });
});

it('a use of a key is recorded, at most once a minute', async () => {
  const bob = await relay.agent('bob@acme');
  const lastUsed = async () => {
    const [row] = await relay.database.query<{ at: Date | null }>('SELECT last_used_at AS at FROM api_keys');
    return row!.at;
  };
  expect(await lastUsed()).toBeNull();
  await restCall(urlOf(0), bob.apiKey, 'GET', '/agents/me');
  const first = await lastUsed();
  expect(first).not.toBeNull();
  await restCall(urlOf(1), bob.apiKey, 'GET', '/agents/me');
  expect(await lastUsed()).toEqual(first);
});

describe('peppers', () => {
  const NEW = 'p2:another-pepper-of-at-least-32-characters';
  const OLD = 'p1:test-pepper-of-at-least-32-characters!';

  it.each([
    ['a new one beside the old', `${NEW},${OLD}`, 200],
    ['the old one gone', NEW, 401],
    ['another secret under the old name', 'p1:another-pepper-of-at-least-32-characters', 401],
  ])('%s: a key sealed before answers %s with %i', async (_, peppers, status) => {
    const bob = await relay.agent('bob@acme');
    const replica = await relay.replica({ RELAY_KEY_PEPPERS: peppers });
    expect((await restCall(replica.url, bob.apiKey, 'GET', '/agents/me')).status).toBe(status);
    await replica.app.close();
  });
});

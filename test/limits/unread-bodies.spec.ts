import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { newApiKey } from '../../apps/relay/src/identity/api-key-format';
import { registeredRoutes } from '../../apps/relay/src/http/known-addresses';
import { eventually, TEST_ADMIN_TOKEN, useRelay } from '@agentrelay/testing';
import { type Refused, upload } from './endless-upload';

const relay = useRelay();

const KIB = 1024;
/** One read of a socket by Node.js. */
const READ = 64 * KIB;
const LARGER: Record<string, number> = { 'POST /a2a': 4096 * KIB, 'PUT /agents/me/card': 256 * KIB };

interface Target {
  method: string;
  path: string;
  /** The most bytes that the route takes. */
  limit: number;
}

function targets(): Target[] {
  const routes = registeredRoutes(relay.app.getHttpAdapter().getInstance());
  const known = routes.map(({ method, url }) => ({
    method,
    path: url.replace(/:\w+/g, 'x'),
    limit: LARGER[`${method} ${url}`] ?? 64 * KIB,
  }));
  return [...known, { method: 'POST', path: '/nowhere', limit: 0 }, { method: 'PATCH', path: '/a2a', limit: 0 }];
}

const send = (target: Target, headers: Record<string, string>, announced?: number): Promise<Refused> =>
  upload(relay.app.getHttpServer(), relay.replicaUrl, {
    method: target.method,
    path: target.path,
    headers,
    ...(announced === undefined ? {} : { announced }),
  });

const HOW = [
  ['announced in the header', 60_000_000],
  ['chunked', undefined],
] as const;

/** An answer of the relay, which ends its connection and leaves the body alone. */
function expectUnread({ method, path }: Target, answer: Refused, bytes: number): void {
  const what = `${method} ${path}`;
  expect([what, answer.status > 0, /connection: close/i.test(answer.head)]).toEqual([what, true, true]);
  expect([what, answer.bytesRead - answer.headBytes > bytes ? answer.bytesRead : 'little']).toEqual([what, 'little']);
}

describe.each(HOW)('a body of 60 MB, %s', (_, announced) => {
  it('without a credential is left unread on every route and at any other address', async () => {
    const all = targets();
    expect(all.length).toBeGreaterThan(30);
    for (const target of all) {
      const answer = await send(target, {}, announced);
      const redeems = target.path.startsWith('/invites/');
      // Redeeming takes its secret in the body: what is chunked has to be read to be refused.
      expectUnread(target, answer, redeems && announced === undefined ? target.limit + 2 * READ : READ);
      if (['GET', 'HEAD'].includes(target.method) || target.limit === 0 || redeems) continue;
      expect([target, answer.status]).toEqual([target, 401]);
      const refusal = JSON.parse(answer.body) as object;
      expect(refusal).toMatchObject(target.path === '/a2a' ? { id: null } : { code: 'unauthenticated' });
    }
  });

  it.each([
    ['of another scheme', 'Basic eA=='],
    ['that is empty', 'Bearer'],
    ['that is mistyped', 'Bearer hunter2'],
    ['that is huge', `Bearer ${'x'.repeat(8_000)}`],
    ['that is well-formed and unknown', `Bearer ${newApiKey('ar_test_').text}`],
  ])('with a credential %s is left unread on the native API', async (_, authorization) => {
    const target = { method: 'POST', path: '/a2a', limit: 0 };
    const answer = await send(target, { authorization }, announced);
    expectUnread(target, answer, READ);
    expect(answer.status).toBe(401);
  });

  it('with the right credential is read up to the limit of its route, where it has to be read to be refused', async () => {
    const bob = await relay.agent('bob@acme');
    for (const target of targets()) {
      const token = target.path.startsWith('/admin/') ? TEST_ADMIN_TOKEN : bob.apiKey;
      const answer = await send(target, { authorization: `Bearer ${token}` }, announced);
      expectUnread(target, answer, announced === undefined ? target.limit + 2 * READ : READ);
      if (['GET', 'HEAD'].includes(target.method) || target.limit === 0) continue;
      expect([target, answer.status]).toEqual([target, 413]);
    }
  });
});

describe('a client that is refused before its body was read', () => {
  it('is cut off when it neither takes the answer nor hangs up', async () => {
    const { hostname, port } = new URL(relay.replicaUrl);
    const accepted = once(relay.app.getHttpServer(), 'connection') as Promise<[Socket]>;
    const client = connect({ port: Number(port), host: hostname, allowHalfOpen: true }).on('error', () => undefined);
    const [served] = await accepted;
    client.pause();
    client.write(`POST /a2a HTTP/1.1\r\nhost: x\r\ncontent-length: 60000000\r\n\r\n${'['.repeat(READ)}`);
    await once(served, 'close');
    expect(served.bytesRead).toBeLessThanOrEqual(2 * READ);
    client.destroy();
  });

  it('has its connection closed at once when its small body was dropped', async () => {
    const { hostname, port } = new URL(relay.replicaUrl);
    const client = connect({ port: Number(port), host: hostname });
    let received = '';
    client.on('data', (bytes: Buffer) => (received += bytes.toString()));
    client.write(`POST /a2a HTTP/1.1\r\nhost: x\r\ncontent-length: 40000\r\n\r\n${'['.repeat(20_000)}`);
    await once(client, 'data');
    client.write('['.repeat(20_000));
    await once(client, 'close');
    expect(received).toMatch(/^HTTP\/1\.1 401 /);
    expect(received).toMatch(/"id":null/);
  });
});

describe('a key that ends while the body of its request is on its way', () => {
  it('is refused, although it was good when the request began', async () => {
    const bob = await relay.agent('bob@acme');
    const { hostname, port } = new URL(relay.replicaUrl);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'agents/list' });
    const client = connect({ port: Number(port), host: hostname });
    let received = '';
    client.on('data', (bytes: Buffer) => (received += bytes.toString()));
    const head = [
      'POST /a2a HTTP/1.1',
      'host: x',
      `authorization: Bearer ${bob.apiKey}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
    ];
    client.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 10)}`);
    await eventually('the request has been let in', async () => {
      const [row] = await relay.database.query<{ used: boolean }>(
        'SELECT last_used_at IS NOT NULL AS used FROM api_keys',
      );
      return row?.used;
    });
    const letIn = performance.now();
    expect((await relay.admin('DELETE', '/admin/agents/bob@acme')).status).toBe(200);
    // Only a body that takes longer than 50 ms has its credential looked at again.
    await eventually('the body is slow', () => Promise.resolve(performance.now() - letIn > 100));
    client.write(body.slice(10));
    await eventually('it is answered', () => Promise.resolve(received.includes('\r\n\r\n')));
    expect(received).toMatch(/^HTTP\/1\.1 401 /);
    client.destroy();
  });
});

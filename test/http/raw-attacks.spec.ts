import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { registeredRoutes } from '../../apps/relay/src/http/known-addresses';
import { TEST_ADMIN_TOKEN, type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();
const MIB = 1024 * 1024;
const BODY = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'agents/list' });

let bob: TestAgent;
beforeEach(async () => {
  bob = await relay.agent('bob@acme');
});

function dial(): Socket {
  const { hostname, port } = new URL(relay.replicaUrl);
  return connect(Number(port), hostname).on('error', () => undefined);
}

/** Sends bytes as they are, and returns the statuses of everything that is answered until the relay hangs up. */
async function statuses(bytes: string | Buffer): Promise<number[]> {
  const socket = dial();
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  socket.write(bytes);
  await once(socket, 'close');
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

function head(first: string, ...headers: string[]): string {
  return [first, 'host: x', ...headers, '', ''].join('\r\n');
}

const known = () => [`authorization: Bearer ${bob.apiKey}`, 'content-type: application/json'];

const serves = async (): Promise<void> => {
  expect((await bob.rpc('agents/list')).status).toBe(200);
};

describe('a request whose end can be read in two ways', () => {
  const smuggled = head('GET /healthz HTTP/1.1', 'connection: close');

  it('is refused, and what follows it is no request', async () => {
    for (const credential of [[], known()]) {
      const both = [...credential, 'content-length: 4', 'transfer-encoding: chunked'];
      expect(await statuses(`${head('POST /a2a HTTP/1.1', ...both)}0\r\n\r\n${smuggled}`)).toEqual([400]);
      const twice = [...credential, 'content-length: 4', 'content-length: 5'];
      expect(await statuses(`${head('POST /a2a HTTP/1.1', ...twice)}abcd${smuggled}`)).toEqual([400]);
      const other = [...credential, 'transfer-encoding: chunked, identity'];
      expect(await statuses(`${head('POST /a2a HTTP/1.1', ...other)}0\r\n\r\n${smuggled}`)).toEqual([400]);
    }
    await serves();
  });

  it('that is refused before its body was read leaves the rest unread, a request in it too', async () => {
    const bytes = `${head('POST /a2a HTTP/1.1', 'content-length: 20')}{}${smuggled}`;
    expect(await statuses(bytes)).toEqual([401]);
    const chunked = `${head('POST /a2a HTTP/1.1', 'transfer-encoding: chunked')}2\r\n{}\r\n0\r\n\r\n${smuggled}`;
    expect(await statuses(chunked)).toEqual([401]);
  });
});

describe('what stands between the chunks of a body', () => {
  it.each([
    ['an extension of megabytes', () => `1;${'x'.repeat(2 * MIB)}\r\n{\r\n0\r\n\r\n`],
    ['many extensions', () => `${`1;${'x'.repeat(1_000)}\r\n \r\n`.repeat(100)}0\r\n\r\n`],
    ['a trailer of megabytes', () => `2\r\n{}\r\n0\r\na: ${'x'.repeat(2 * MIB)}\r\n\r\n`],
    ['many trailers', () => `2\r\n{}\r\n0\r\n${'a: b\r\n'.repeat(100_000)}\r\n`],
    ['a size beyond all numbers', () => `${'f'.repeat(40)}\r\n{}\r\n0\r\n\r\n`],
    ['a size that is none', () => `-1\r\n{}\r\n0\r\n\r\n`],
  ])('may be no %s', async (_, body) => {
    for (const credential of [[], known()]) {
      const bytes = `${head('POST /a2a HTTP/1.1', ...credential, 'transfer-encoding: chunked', 'connection: close')}${body()}`;
      const answers = await statuses(bytes);
      expect(answers.filter((status) => status < 200 || status >= 500)).toEqual([]);
      expect(answers.length).toBeLessThanOrEqual(1);
    }
    await serves();
  });
});

describe('every route', () => {
  it.each(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'])(
    'answers %s with a body, or none, without a fault of its own',
    async (method) => {
      const routes = new Set(registeredRoutes(relay.app.getHttpAdapter().getInstance()).map(({ url }) => url));
      const found: unknown[] = [];
      for (const route of routes) {
        for (const parameter of ['x', '%00', '%ff', '%c0%80', '%ed%a0%80', '..%2f..', '%', 'x'.repeat(3_000)]) {
          if (parameter !== 'x' && !route.includes(':')) continue;
          const token = route.startsWith('/admin') ? TEST_ADMIN_TOKEN : bob.apiKey;
          const credential = [`authorization: Bearer ${token}`, 'content-type: application/json', 'connection: close'];
          const path = route.replace(/:\w+/g, parameter);
          if (path === '/agents/me/events/stream' || path.endsWith('/stream')) continue;
          const bytes = `${head(`${method} ${path} HTTP/1.1`, ...credential, `content-length: ${BODY.length}`)}${BODY}`;
          const answers = await statuses(bytes);
          if (answers.length !== 1 || answers[0]! < 200 || answers[0]! >= 500) found.push([path.slice(0, 80), answers]);
        }
      }
      expect(found).toEqual([]);
    },
  );
});

describe('a head', () => {
  it.each([
    ['with an address of another host', () => head('GET http://other.example/agents/me HTTP/1.1', 'connection: close')],
    ['for the whole server', () => head('OPTIONS * HTTP/1.1', 'connection: close')],
    ['that asks for a tunnel', () => head('CONNECT other.example:443 HTTP/1.1')],
    ['that asks for another protocol', () => head('GET /agents/me HTTP/1.1', 'connection: upgrade', 'upgrade: x')],
    ['of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['of TLS', () => Buffer.from('16030100c8010000c40303', 'hex')],
    [
      'with thousands of headers',
      () => head('GET /agents/me HTTP/1.1', ...Array<string>(3_000).fill('a: b'), 'connection: close'),
    ],
    ['with a header of megabytes', () => head('GET /agents/me HTTP/1.1', `a: ${'x'.repeat(2 * MIB)}`)],
    ['with an address of megabytes', () => head(`GET /${'x'.repeat(2 * MIB)} HTTP/1.1`)],
    ['with bytes that are no text', () => Buffer.concat([Buffer.from('GET /\xff\x00 HTTP/1.1\r\n', 'latin1')])],
    ['with a folded line', () => 'GET /agents/me HTTP/1.1\r\nhost: x\r\na: b\r\n c\r\nconnection: close\r\n\r\n'],
  ])('%s is refused, and its connection closed', async (_, bytes) => {
    const socket = dial();
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
    socket.write(bytes());
    if (received === '') socket.end();
    await once(socket, 'close');
    const answers = [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
    expect(answers.filter((status) => status < 400 || status >= 500)).toEqual([]);
    await serves();
  });
});

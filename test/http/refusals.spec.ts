import { LIMITS } from '@agentrelay/protocol';
import { noteSymbols, useRelay } from '@agentrelay/testing';
import { rawRequest } from './raw-request';

const relay = useRelay();

const JSON_TYPE = { 'content-type': 'application/json' };

async function ask(path: string, method: string, headers: Record<string, string>, body?: string) {
  const answer = await rawRequest(`${relay.url}${path}`, {
    method,
    headers: { 'x-request-id': 'r', ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const json = JSON.parse(answer.body) as unknown;
  noteSymbols(json);
  return { status: answer.status, headers: answer.headers, body: json };
}

const UNREADABLE = {
  status: 400,
  headers: { 'x-request-id': 'r' },
  body: {
    code: 'invalid_request',
    message: 'The request is not valid HTTP for this relay.',
    request_id: 'r',
    details: {},
  },
};

describe('a REST path', () => {
  it.each(['/nowhere', '/', '/agents/frank@acme', '/agents/me/nothing', '/admin', '/a2a/more', '/inbox', '/inbox/a/b'])(
    'that does not exist (%s) is not_found in the REST shape',
    async (path) => {
      const { status, body } = await ask(path, 'GET', {});
      expect([status, body]).toEqual([
        404,
        { code: 'not_found', message: 'There is nothing at this address.', request_id: 'r', details: {} },
      ]);
    },
  );

  it.each([
    ['/a2a', 'GET', ['POST']],
    ['/a2a', 'DELETE', ['POST']],
    ['/agents/me', 'POST', ['GET', 'HEAD']],
    ['/agents/me/card', 'PATCH', ['PUT']],
    ['/agents/me/block', 'PUT', ['GET', 'HEAD', 'POST']],
    ['/agents/me/block/frank@acme', 'GET', ['DELETE']],
    ['/admin/agents', 'DELETE', ['POST', 'GET', 'HEAD']],
    ['/inbox/x?y=1', 'POST', ['GET', 'HEAD']],
    ['/healthz/', 'POST', ['GET', 'HEAD']],
  ])('%s does not take %s and says what it takes', async (path, method, allowed) => {
    const { status, headers, body } = await ask(path, method, {});
    expect([status, body]).toMatchObject([405, { code: 'method_not_allowed', request_id: 'r' }]);
    expect(headers['allow']!.toString().split(', ').sort()).toEqual([...allowed].sort());
    expect((body as { details: { allowed: string[] } }).details.allowed.sort()).toEqual([...allowed].sort());
  });

  it.each([
    ['text', 'text/plain', '{"handle":"bob"}'],
    ['a form', 'application/x-www-form-urlencoded', 'handle=bob'],
    ['XML', 'application/xml', '<handle/>'],
    ['JSON of another kind', 'application/vnd.api+json', '{}'],
  ])('refuses %s as unsupported', async (_, type, text) => {
    const { apiKey } = await relay.agent('bob@acme');
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': type };
    expect(await ask('/agents/me/block', 'POST', headers, text)).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type', message: 'Send the body as application/json.', request_id: 'r' },
    });
  });

  it.each(['{', 'hello', '{"a":}', "{'a':1}"])('refuses the body %s as no JSON', async (text) => {
    const { apiKey } = await relay.agent('bob@acme');
    const headers = { authorization: `Bearer ${apiKey}`, ...JSON_TYPE };
    const { status, body } = await ask('/agents/me/card', 'PUT', headers, text);
    expect([status, body]).toEqual([
      400,
      { code: 'parse_error', message: 'The body is not valid JSON in UTF-8.', request_id: 'r', details: {} },
    ]);
  });

  it.each(['[]', '7', '"x"', 'true'])('refuses the body %s, which names nothing', async (text) => {
    const { apiKey } = await relay.agent('bob@acme');
    const headers = { authorization: `Bearer ${apiKey}`, ...JSON_TYPE };
    expect(await ask('/agents/me/card', 'PUT', headers, text)).toMatchObject({
      status: 400,
      body: { code: 'invalid_params', details: { faults: [{ field: 'params' }] } },
    });
  });

  it('takes an empty body with a JSON content type for no body', async () => {
    const { frank } = await relay.pair();
    const headers = { authorization: `Bearer ${frank.apiKey}`, ...JSON_TYPE };
    expect(await ask('/agents/me/block/bob', 'DELETE', headers)).toMatchObject({
      status: 200,
      body: { handle: 'bob@acme', blocked: false },
    });
  });

  it('takes path parameters of 400 characters and refuses longer ones', async () => {
    expect((await rawRequest(`${relay.url}/inbox/${'x'.repeat(400)}`)).status).toBe(200);
    expect(await ask(`/inbox/${'x'.repeat(401)}`, 'GET', {})).toMatchObject(UNREADABLE);
  });

  it.each(['/inbox/%zz', '/inbox/%ED%A0%80', '/%'])(
    'with a broken escape (%s) is refused, not failed',
    async (path) => {
      expect(await ask(path, 'GET', {})).toMatchObject(UNREADABLE);
    },
  );
});

describe('a body over the limit', () => {
  const tooLarge = JSON.stringify({ id: 7, text: 'x'.repeat(LIMITS.bodyBytes) });
  const messageOf = (limit: number): string =>
    `The request is larger than ${limit} bytes; send a file_ref to the content instead.`;

  it('is refused in the JSON-RPC shape on the native API', async () => {
    const { apiKey } = await relay.agent('bob@acme');
    const { status, body } = await ask('/a2a', 'POST', { authorization: `Bearer ${apiKey}`, ...JSON_TYPE }, tooLarge);
    expect([status, body]).toEqual([
      413,
      {
        jsonrpc: '2.0',
        id: null,
        error: {
          code: -32035,
          message: messageOf(4194304),
          data: { code: 'payload_too_large', request_id: 'r', details: { limit_bytes: 4194304 } },
        },
      },
    ]);
  });

  it.each([
    ['PUT', '/agents/me/card', 262144],
    ['POST', '/agents/me/block', 65536],
  ])('is refused in the REST shape at %s %s, which takes %i bytes', async (method, path, limit) => {
    const { apiKey } = await relay.agent('bob@acme');
    const headers = { authorization: `Bearer ${apiKey}`, ...JSON_TYPE };
    const { status, body } = await ask(path, method, headers, 'x'.repeat(limit + 1));
    expect([status, body]).toEqual([
      413,
      {
        code: 'payload_too_large',
        message: messageOf(limit),
        request_id: 'r',
        details: { limit_bytes: limit },
      },
    ]);
    expect((await ask(path, method, headers, '{}'.padEnd(limit))).status).toBeLessThan(413);
  });

  it.each(['gzip', 'deflate', 'br', 'GZIP, br', 'aes128gcm'])('compressed with %s is unsupported', async (encoding) => {
    const { apiKey } = await relay.agent('bob@acme');
    const headers = { authorization: `Bearer ${apiKey}`, ...JSON_TYPE, 'content-encoding': encoding };
    expect(await ask('/agents/me/card', 'PUT', headers, '{}')).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type', message: expect.stringContaining('Content-Encoding') as string },
    });
  });

  it('begins one byte above it', async () => {
    const bob = await relay.agent('bob@acme');
    const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'agents/list' });
    expect((await bob.post(call.padEnd(LIMITS.bodyBytes))).status).toBe(200);
    expect((await bob.post(call.padEnd(LIMITS.bodyBytes + 1))).status).toBe(413);
  });
});

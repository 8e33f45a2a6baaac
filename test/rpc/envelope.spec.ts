import { ERRORS, LIMITS, type WireRpcAnswer, type WireRpcError } from '@agentrelay/protocol';
import { useRelay } from '@agentrelay/testing';

const relay = useRelay();

const CALL = { jsonrpc: '2.0', method: 'agents/list' };

async function refused(body: string | Uint8Array, headers: Record<string, string> = {}) {
  const agent = await relay.agent();
  const answer = await agent.post<WireRpcError>(body, headers);
  return {
    status: answer.status,
    id: answer.body.id,
    symbol: answer.body.error.data.code,
    code: answer.body.error.code,
    message: answer.body.error.message,
  };
}

describe('the JSON-RPC envelope', () => {
  it.each([
    ['a cut object', '{"jsonrpc":"2.0","id":7,'],
    ['a bare word', 'hello'],
    ['a trailing comma', '{"jsonrpc":"2.0","id":7,"method":"agents/list",}'],
    ['bad UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['an overlong UTF-8 form', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ])('answers %s with parse_error and id null', async (_, body) => {
    expect(await refused(body)).toEqual({
      status: 400,
      id: null,
      symbol: 'parse_error',
      code: -32700,
      message: 'The body is not valid JSON in UTF-8.',
    });
  });

  it.each([
    ['no body', '', null],
    ['a string', '"agents/list"', null],
    ['a number', '3', null],
    ['null', 'null', null],
    ['no jsonrpc', JSON.stringify({ id: 3, method: 'agents/list' }), 3],
    ['jsonrpc 1.0', JSON.stringify({ jsonrpc: '1.0', id: 3, method: 'agents/list' }), 3],
    ['jsonrpc as a number', JSON.stringify({ jsonrpc: 2, id: 3, method: 'agents/list' }), 3],
    ['no method', JSON.stringify({ jsonrpc: '2.0', id: 'x' }), 'x'],
    ['a method that is no string', JSON.stringify({ jsonrpc: '2.0', id: 'x', method: 7 }), 'x'],
    ['an id that is an object', JSON.stringify({ ...CALL, id: {} }), null],
    ['an id that is a list', JSON.stringify({ ...CALL, id: [1] }), null],
    ['an id that is a boolean', JSON.stringify({ ...CALL, id: true }), null],
    ['an id that is too long', JSON.stringify({ ...CALL, id: '🙂'.repeat(256) }), null],
    ['a long id beside another fault', JSON.stringify({ id: 'x'.repeat(1_000_000) }), null],
  ])('answers %s with invalid_request', async (_, body, id) => {
    expect(await refused(body)).toMatchObject({ status: 400, id, symbol: 'invalid_request', code: -32600 });
  });

  it('names the methods it knows when asked for another', async () => {
    const agent = await relay.agent();
    const refusal = await agent.refusal('tasks/forget');
    expect(refusal).toMatchObject({ symbol: 'method_not_found', code: -32601, status: 404 });
    expect(refusal.details['known']).toEqual([
      'agents/list',
      'events/list',
      'message/send',
      'tasks/cancel',
      'tasks/draft',
      'tasks/get',
      'tasks/list',
      'tasks/update',
    ]);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])(
    'does not take the word %p for a method',
    async (method) => {
      const agent = await relay.agent();
      expect((await agent.refusal(method)).symbol).toBe('method_not_found');
    },
  );

  it.each([['seven'], [''], ['日本🇯🇵'], [0], [-1], [7.5], [9007199254740991], [null]])(
    'echoes the id %p',
    async (id) => {
      const agent = await relay.agent();
      const good = await agent.post(JSON.stringify({ ...CALL, id }));
      const bad = await agent.post(JSON.stringify({ ...CALL, id, method: 'nothing' }));
      expect([good.status, good.body.id, bad.status, bad.body.id]).toEqual([200, id, 404, id]);
    },
  );

  it('answers a single request without an id with id null, as success and as refusal', async () => {
    const agent = await relay.agent();
    const good = await agent.post(JSON.stringify(CALL));
    const bad = await agent.post(JSON.stringify({ jsonrpc: '2.0', method: 'tasks/get', params: {} }));
    expect([good.status, good.body.id, 'result' in good.body]).toEqual([200, null, true]);
    expect([bad.status, bad.body.id, 'error' in bad.body]).toEqual([400, null, true]);
  });

  it('gives a success no error and a refusal no result', async () => {
    const agent = await relay.agent();
    const good = await agent.rpc('agents/list');
    const bad = await agent.rpc('tasks/get');
    expect(Object.keys(good.body as WireRpcAnswer)).toEqual(['jsonrpc', 'id', 'result']);
    expect(Object.keys(bad.body as WireRpcAnswer)).toEqual(['jsonrpc', 'id', 'error']);
  });

  it('puts details last in an error, so that a cut body still shows symbol and message', async () => {
    const agent = await relay.agent();
    const { body } = await agent.rpc('tasks/get', { task_id: 'x' }, { 'x-request-id': 'r-1' });
    expect(JSON.stringify(body)).toBe(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        error: {
          code: ERRORS.invalid_params.rpc,
          message: 'task_id must be an id (a UUID).',
          data: {
            code: 'invalid_params',
            request_id: 'r-1',
            details: { faults: [{ field: 'task_id', problem: 'must be an id (a UUID)' }] },
          },
        },
      }),
    );
  });

  it('takes the path with a trailing slash or an encoded letter for the same route', async () => {
    const agent = await relay.agent();
    for (const path of ['/a2a/', '/%612a', '/a2a?x=1']) {
      const { status, body } = await agent.rest('POST', path, { ...CALL, id: 4 });
      expect([path, status, body['id'], 'result' in body]).toEqual([path, 200, 4, true]);
      const refusal = await agent.rest('POST', path, { ...CALL, id: 4, method: 'nothing' });
      expect([path, refusal.body['jsonrpc'], refusal.body['id']]).toEqual([path, '2.0', 4]);
    }
  });

  it('refuses a request nested deeper than the limit', async () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
    const agent = await relay.agent();
    // The request, its params and metadata are three levels.
    expect((await agent.rpc('agents/list', { metadata: nested(LIMITS.jsonDepth - 2) })).status).toBe(200);
    expect(await agent.refusal('agents/list', { metadata: nested(LIMITS.jsonDepth - 1) })).toMatchObject({
      symbol: 'invalid_request',
      details: { limit: 32 },
    });
  });
});

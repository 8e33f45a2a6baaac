import { type WireRpcAnswer, type WireRpcError } from '@agentrelay/protocol';
import { useRelay } from '@agentrelay/testing';

const relay = useRelay();

function send(members: string): string {
  const message = '{"parts":[{"type":"text","text":"x"}]}';
  return `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"recipient":"frank","message":${message},${members}}}`;
}

describe('numbers', () => {
  it.each(['1e400', '-1e400', '[1,{"a":1e999}]'])(
    'beyond what can be held (%s) are refused, never turned into null',
    async (number) => {
      const { bob } = await relay.pair();
      for (const key of ['', ',"idempotency_key":"k"']) {
        const { status, body } = await bob.post<WireRpcError>(send(`"metadata":{"n":${number}}${key}`));
        expect([status, body.error.data.code, body.error.message]).toEqual([
          400,
          'invalid_params',
          expect.stringMatching(/^params\.metadata\.n/) as string,
        ]);
      }
    },
  );

  it.each(['9007199254740992', '-9007199254740992', '9007199254740993', '123456789012345678901234567890'])(
    'that are integers beyond what can be held (%s) are refused by name, never rounded',
    async (number) => {
      const { bob } = await relay.pair();
      const problem = 'is an integer beyond ±(2^53−1), which JSON readers round; send it as a string';
      const artifact = `{"type":"api_contract","inline":{"n":${number}}}`;
      for (const [members, field] of [
        [`"metadata":{"n":${number}}`, 'params.metadata.n'],
        [`"payload":{"n":[1,${number}]}`, 'params.payload.n[1]'],
        [`"artifacts":[${artifact}]`, 'params.artifacts[0].inline.n'],
      ] as const) {
        const { status, body } = await bob.post<WireRpcError>(send(members));
        expect([status, body.id, body.error.message, body.error.data.details]).toEqual([
          400,
          1,
          `${field} ${problem}.`,
          { faults: [{ field, problem }] },
        ]);
      }
      const id = await bob.post<WireRpcError>(`{"jsonrpc":"2.0","id":${number},"method":"agents/list"}`);
      expect([id.status, id.body.id, id.body.error.message]).toEqual([400, null, `id ${problem}.`]);
    },
  );

  it('of every other kind come back with their value', async () => {
    const { bob } = await relay.pair();
    const numbers =
      '[0,-0,0.1,1e308,5e-324,1e-400,9007199254740991,-9007199254740991,9007199254740993.0,12345678901234567890e0,-1.50]';
    const { body } = await bob.post(send(`"metadata":{"n":${numbers}},"idempotency_key":"k"`));
    const { task_id } = (body as unknown as { result: { task_id: string } }).result;
    expect((await bob.get(task_id)).metadata).toEqual({ n: (JSON.parse(numbers) as number[]).map((n) => n + 0) });
  });

  it.each(['NaN', 'Infinity', '01', '+1', '.5', '0x10'])('that JSON does not know (%s) are no JSON', async (number) => {
    const { bob } = await relay.pair();
    const { body } = await bob.post<WireRpcError>(send(`"metadata":{"n":${number}}`));
    expect(body.error.data.code).toBe('parse_error');
  });
});

describe('a body', () => {
  it('with a key twice means the last one, like every JSON reader here', async () => {
    const { bob } = await relay.pair();
    await relay.agent('grace@acme');
    const { body } = await bob.post(send(`"recipient":"grace","metadata":{"a":1,"a":2}`));
    const { task_id, recipient } = (body as unknown as { result: { task_id: string; recipient: string } }).result;
    expect([recipient, (await bob.get(task_id)).metadata]).toEqual(['grace@acme', { a: 2 }]);
  });

  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('of ten thousand nested %s is refused without harm', async (_, open, close) => {
    const { bob } = await relay.pair();
    const nested = `${open.repeat(10_000)}1${close.repeat(10_000)}`;
    const { status, body } = await bob.post<WireRpcError>(send(`"metadata":{"n":${nested}}`));
    expect([status, body.error.data.code]).toEqual([400, 'invalid_request']);
  });

  it('of 4 MB of short keys or of one long key is refused by its limits, and soon', async () => {
    const { bob } = await relay.pair();
    const deep = { recipient: 'frank', message: { parts: [], ['k'.repeat(1_000_000)]: 1 } };
    expect((await bob.refusal('message/send', deep)).message.length).toBeLessThan(500);
    const keys = Array.from({ length: 250_000 }, (_, i) => `"k${i}":1`).join(',');
    for (const [member, symbol] of [
      [`"metadata":{${keys}}`, 'invalid_request'],
      [`"${'k'.repeat(4_000_000)}":1`, 'invalid_params'],
      [`"metadata":{${Array.from({ length: 90_000 }, () => '"k":1').join(',')}}`, 'ok'],
    ] as const) {
      const { status, body } = await bob.post<WireRpcError>(send(member));
      if (symbol === 'ok') {
        expect([status, 'result' in body]).toEqual([200, true]);
        continue;
      }
      expect([status, body.error.data.code]).toEqual([400, symbol]);
      expect(JSON.stringify(body).length).toBeLessThan(2_000);
    }
  });

  it('in UTF-16 or with a byte order mark is no JSON in UTF-8, or is read as if the mark were not there', async () => {
    const { bob } = await relay.pair();
    const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'agents/list' });
    const utf16 = await bob.post<WireRpcError>(Buffer.from(`\ufeff${call}`, 'utf16le'));
    expect(utf16.body.error.data.code).toBe('parse_error');
    const marked = await bob.post<WireRpcAnswer>(Buffer.from(`\ufeff${call}`, 'utf8'));
    expect([marked.status, 'result' in marked.body]).toEqual([200, true]);
  });
});

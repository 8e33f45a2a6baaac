import { ERRORS, isErrorSymbol, type WireRpcAnswer } from '@agentrelay/protocol';
import { type Answer, type TestAgent, useRelay } from '@agentrelay/testing';
import fc from 'fast-check';

const relay = useRelay();

const METHODS = ['message/send', 'tasks/get', 'tasks/list', 'tasks/update', 'tasks/cancel', 'agents/list'];
const NAMES = [
  'task_id', 'recipient', 'message', 'artifacts', 'intent', 'proposed_action', 'payload', 'metadata', 'filter', 'page',
  'transition', 'result_summary', 'session_id', 'expected_version', 'outcome', 'idempotency_key', 'include_thread',
  'history_length', 'after_sequence_no', 'mark_read', 'role', 'skill', 'repo', '__proto__', 'constructor',
]; // prettier-ignore

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)), maxLength: 9 }),
);
/** JSON of any shape with any text in it, NUL and halves of surrogate pairs included. */
const { tree: anyJson } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false),
    fc.double(),
    anyText,
    fc.array(tie('tree'), { maxLength: 5 }),
    fc.dictionary(anyText, tie('tree'), { maxKeys: 5 }),
  ),
}));

/** Values that come close to what is asked for. */
function likely(id: string): fc.Arbitrary<unknown> {
  const parts = fc.array(fc.record({ type: fc.constantFrom('text', 'file'), text: fc.oneof(anyText, anyJson) }));
  return fc.oneof(
    anyJson,
    anyText,
    fc.constantFrom(id, id.toUpperCase(), 'frank', 'frank@acme', 'accept', 'complete', 'cancel', 'propose_action'),
    fc.integer(),
    fc.double(),
    fc.record({ role: fc.constantFrom('user', 'boss'), parts }),
    fc.record({ role: fc.constantFrom('any', 'x'), text: anyText, since: fc.oneof(fc.date().map(String), anyText) }),
    fc.record({ limit: fc.integer({ min: -1, max: 300 }), cursor: fc.oneof(anyText, fc.base64String()) }),
    fc.array(fc.record({ type: fc.constantFrom('link', 'file_diff', 'toString'), url: anyText, path: anyJson })),
  );
}

function expectAnswer({ status, body }: Answer<WireRpcAnswer>, id: number): void {
  expect(status).toBeLessThan(500);
  expect([body.jsonrpc, body.id]).toEqual(['2.0', id]);
  if (status === 200) return expect(Object.keys(body)).toEqual(['jsonrpc', 'id', 'result']);
  const { error } = body as Extract<WireRpcAnswer, { error: unknown }>;
  const { code: symbol, ...rest } = error.data;
  if (!isErrorSymbol(symbol)) throw new Error(`${symbol} is not in the catalogue`);
  expect([status, error.code, Object.keys(rest)]).toEqual([
    ERRORS[symbol].http,
    ERRORS[symbol].rpc,
    ['request_id', 'details'],
  ]);
}

function encode(method: string, params: unknown, id: number): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

async function survives(caller: TestAgent, method: string, params: fc.Arbitrary<unknown>): Promise<void> {
  let id = 0;
  await fc.assert(
    fc.asyncProperty(params, async (given) => {
      expectAnswer(await caller.post<WireRpcAnswer>(encode(method, given, ++id)), id);
    }),
    { numRuns: 200 },
  );
}

describe.each(METHODS)('%s', (method) => {
  it('answers any JSON as params with a result or a refusal of the catalogue, never with a failure', async () => {
    const { bob } = await relay.pair();
    await survives(bob, method, anyJson);
  });

  it('does so for params of known names and likely values, too', async () => {
    const { bob } = await relay.pair();
    const { task_id } = await bob.send('frank');
    const params = fc.dictionary(fc.constantFrom(...NAMES), likely(task_id), { maxKeys: 5 });
    await survives(bob, method, params);
  });
});

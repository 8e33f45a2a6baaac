import { LIMITS, type WireRpcAnswer, type WireRpcError, type WireThread } from '@agentrelay/protocol';
import { type TestAgent, text, useRelay } from '@agentrelay/testing';

const relay = useRelay();

function entry(id: unknown, method = 'agents/list', params: object = {}): object {
  return { jsonrpc: '2.0', ...(id === undefined ? {} : { id }), method, params };
}

function postBatch(agent: TestAgent, entries: unknown[], headers: Record<string, string> = {}) {
  return agent.post<WireRpcAnswer[]>(JSON.stringify(entries), headers);
}

function outcome(answer: WireRpcAnswer): string {
  return 'error' in answer ? answer.error.data.code : 'ok';
}

describe('a batch', () => {
  it('executes its entries in order and answers them in order', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme');
    const say = (body: string) => entry(body, 'message/send', { task_id: id, message: text(body) });
    const { status, body } = await postBatch(frank, [
      entry(9, 'tasks/update', { task_id: id, transition: 'accept' }),
      say('one'),
      say('two'),
      say('three'),
      entry('end', 'tasks/update', { task_id: id, transition: 'complete', result_summary: 'Done.' }),
      say('late'),
    ]);
    expect(status).toBe(200);
    expect(body.map((answer) => [answer.id, outcome(answer)])).toEqual([
      [9, 'ok'],
      ['one', 'ok'],
      ['two', 'ok'],
      ['three', 'ok'],
      ['end', 'ok'],
      ['late', 'thread_terminal'],
    ]);
    const thread = await bob.get(id);
    expect(thread.messages.slice(1).map((message) => message.body)).toEqual(['one', 'two', 'three', 'Done.']);
  });

  it('keeps what is wrong with one entry to that entry', async () => {
    const agent = await relay.agent();
    const { status, body } = await postBatch(agent, [
      entry(1),
      7,
      [],
      { id: 2, method: 'agents/list' },
      entry({}),
      entry(3, 'nothing'),
      entry(4, 'tasks/get'),
      entry(5, 'agents/list', { role: '\ud800' }),
      entry(6),
    ]);
    expect(status).toBe(200);
    expect(body.map((answer) => [answer.id, outcome(answer)])).toEqual([
      [1, 'ok'],
      [null, 'invalid_request'],
      [null, 'invalid_request'],
      [2, 'invalid_request'],
      [null, 'invalid_request'],
      [3, 'method_not_found'],
      [4, 'invalid_params'],
      [5, 'invalid_params'],
      [6, 'ok'],
    ]);
  });

  it('takes 20 entries and refuses 21 as a whole, executing none', async () => {
    const { bob } = await relay.pair();
    const sends = (count: number) =>
      Array.from({ length: count }, (_, i) => entry(i, 'message/send', { recipient: 'frank', message: text('x') }));
    const full = await postBatch(bob, sends(LIMITS.batchEntries));
    expect(full.body.map(outcome)).toEqual(Array.from({ length: 20 }, () => 'ok'));
    const over = await bob.post<WireRpcError>(JSON.stringify(sends(LIMITS.batchEntries + 1)));
    expect([over.status, over.body.id, over.body.error.code]).toEqual([400, null, -32600]);
    expect(over.body.error.data).toMatchObject({ code: 'invalid_request', details: { limit: 20 } });
    expect(await relay.database.query('SELECT count(*)::int AS n FROM handoffs')).toEqual([{ n: 20 }]);
  });

  it('is refused when it is empty', async () => {
    const agent = await relay.agent();
    const { status, body } = await agent.post<WireRpcError>('[]');
    expect([status, body.id, body.error.data.code]).toEqual([400, null, 'invalid_request']);
  });

  it('executes entries without an id and leaves no answer for them', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme');
    const { body } = await postBatch(frank, [
      entry(undefined, 'message/send', { task_id: id, message: text('noted') }),
      entry(null, 'tasks/get', { task_id: id }),
      entry(undefined, 'nothing'),
    ]);
    expect(body).toHaveLength(1);
    expect(body[0]!.id).toBeNull();
    const thread = (body[0] as { result: WireThread }).result;
    expect(thread.messages.map((message) => message.body)).toEqual(['Please have a look.', 'noted']);
  });

  it('answers 204 without a body when no entry has an id', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme');
    const say = entry(undefined, 'message/send', { task_id: id, message: text('noted') });
    const { status, body } = await postBatch(frank, [say, say]);
    expect([status, body]).toEqual([204, undefined]);
    expect((await bob.get(id)).messages).toHaveLength(3);
  });

  it('is refused with an Idempotency-Key header, executing nothing', async () => {
    const { bob } = await relay.pair();
    const send = entry(1, 'message/send', { recipient: 'frank', message: text('x') });
    const { status, body } = await bob.post<WireRpcError>(JSON.stringify([send]), { 'idempotency-key': 'k' });
    expect([status, body.error.data.code]).toEqual([400, 'invalid_request']);
    expect(await relay.database.query('SELECT id FROM handoffs')).toEqual([]);
  });

  it('takes an idempotency key per entry: the repetition is replayed', async () => {
    const { bob } = await relay.pair();
    const send = entry(1, 'message/send', { recipient: 'frank', message: text('x'), idempotency_key: 'k' });
    const { body } = await postBatch(bob, [send, send]);
    const [first, second] = body.map((answer) => (answer as { result: { replayed?: true; task_id: string } }).result);
    expect(first!.replayed).toBeUndefined();
    expect(second).toEqual({ ...first, replayed: true });
  });

  it('gives all its refusals the request id of the one HTTP request', async () => {
    const agent = await relay.agent();
    const { body, headers } = await postBatch(agent, [entry(1, 'a'), entry(2, 'b')], { 'x-request-id': 'batch-7' });
    expect(body.map((answer) => 'error' in answer && answer.error.data.request_id)).toEqual(['batch-7', 'batch-7']);
    expect(headers.get('x-request-id')).toBe('batch-7');
  });
});

import { useRelay } from '@agentrelay/testing';

const relay = useRelay();

const ID = '0198f7c0-0000-7000-8000-000000000000';
const MESSAGE = { parts: [{ type: 'text', text: 'x' }] };

/** Every method with params that are right in shape. */
const METHODS: [string, object][] = [
  ['message/send', { recipient: 'frank@acme', message: MESSAGE }],
  ['tasks/get', { task_id: ID }],
  ['tasks/list', {}],
  ['tasks/update', { task_id: ID, transition: 'accept' }],
  ['tasks/cancel', { task_id: ID }],
  ['agents/list', {}],
];
const ON_ONE_TASK = METHODS.filter(([, params]) => 'task_id' in params);

/** Wrong values, with the field that the answer must name. */
const WRONG: [string, object, string][] = [
  ['message/send', { recipient: 'frank@acme' }, 'message'],
  ['message/send', { recipient: 'frank@acme', message: null }, 'message'],
  ['message/send', { message: MESSAGE }, 'recipient'],
  ['message/send', { recipient: 7, message: MESSAGE }, 'recipient'],
  ['message/send', { recipient: 'frank@acme', message: 'x' }, 'message'],
  ['message/send', { recipient: 'frank@acme', message: MESSAGE, intent: 'order' }, 'intent'],
  ['message/send', { recipient: 'frank@acme', message: MESSAGE, artifacts: {} }, 'artifacts'],
  ['message/send', { recipient: 'frank@acme', message: MESSAGE, payload: [] }, 'payload'],
  ['message/send', { recipient: 'frank@acme', message: MESSAGE, metadata: 'x' }, 'metadata'],
  ['message/send', { task_id: ID, message: MESSAGE, recipient: 'frank@acme' }, 'recipient'],
  ['message/send', { task_id: ID, message: MESSAGE, intent: 'inform' }, 'intent'],
  ['tasks/get', {}, 'task_id'],
  ['tasks/get', { task_id: ID, mark_read: 'yes' }, 'mark_read'],
  ['tasks/get', { task_id: ID, history_length: -1 }, 'history_length'],
  ['tasks/get', { task_id: ID, history_length: 1.5 }, 'history_length'],
  ['tasks/get', { task_id: ID, after_sequence_no: '1' }, 'after_sequence_no'],
  ['tasks/list', { filter: [] }, 'filter'],
  ['tasks/list', { filter: { role: 'boss' } }, 'filter.role'],
  ['tasks/list', { filter: { status: 'pending' } }, 'filter.status'],
  ['tasks/list', { filter: { status: ['open'] } }, 'filter.status'],
  ['tasks/list', { filter: { intent: ['inform'] } }, 'filter.intent'],
  ['tasks/list', { filter: { since: 'yesterday' } }, 'filter.since'],
  ['tasks/list', { filter: { since: '2026-05-01T09:14:32' } }, 'filter.since'],
  ['tasks/list', { filter: { updated_since: '2026-13-01T00:00:00Z' } }, 'filter.updated_since'],
  ['tasks/list', { filter: { text: '' } }, 'filter.text'],
  ['tasks/list', { page: { limit: 0 } }, 'page.limit'],
  ['tasks/list', { page: { limit: 201 } }, 'page.limit'],
  ['tasks/update', { task_id: ID }, 'transition'],
  ['tasks/update', { task_id: ID, transition: 'reject' }, 'transition'],
  ['tasks/update', { task_id: ID, transition: 'accept', session_id: 1 }, 'session_id'],
  ['tasks/update', { task_id: ID, transition: 'accept', expected_version: 0 }, 'expected_version'],
  ['tasks/update', { task_id: ID, transition: 'accept', include_thread: 1 }, 'include_thread'],
  ['tasks/update', { task_id: ID, transition: 'complete' }, 'result_summary'],
  ['tasks/update', { task_id: ID, transition: 'complete', result_summary: '' }, 'result_summary'],
  ['tasks/update', { task_id: ID, transition: 'complete', result_summary: 'x', outcome: 'held' }, 'outcome'],
  ['tasks/cancel', { task_id: ID, expected_version: '1' }, 'expected_version'],
  ['agents/list', { role: '' }, 'role'],
  ['agents/list', { page: { limit: 'all' } }, 'page.limit'],
];

describe('params', () => {
  it.each(METHODS)('of %s are refused with an unknown key, which the answer names', async (method, params) => {
    const { bob } = await relay.pair();
    const refusal = await bob.refusal(method, { ...params, colour: 1 });
    expect(refusal).toMatchObject({ symbol: 'invalid_params', code: -32602, status: 400 });
    expect(refusal.message).toMatch(/^colour is not known here; known are /);
    expect(refusal.details['faults']).toEqual([{ field: 'colour', problem: expect.any(String) as string }]);
  });

  it.each([
    ['tasks/list', { filter: { colour: 1 } }, 'filter.colour'],
    ['tasks/list', { page: { offset: 1 } }, 'page.offset'],
    ['agents/list', { page: { offset: 1 } }, 'page.offset'],
  ])('of %s are refused with an unknown nested key %p', async (method, params, field) => {
    const { bob } = await relay.pair();
    expect((await bob.refusal(method, params)).details['faults']).toMatchObject([{ field }]);
  });

  it.each(METHODS)('of %s may carry metadata and null for whatever is optional', async (method, params) => {
    const { bob } = await relay.pair();
    const plain = await bob.rpc(method, params);
    const adorned = await bob.rpc(method, { ...params, metadata: { any: ['thing', null, { deep: 1 }] } });
    const nulls = await bob.rpc(method, { ...params, metadata: null, idempotency_key: null });
    expect([adorned.status, nulls.status]).toEqual([plain.status, plain.status]);
    expect([200, 404]).toContain(plain.status);
  });

  it('that are null take every optional filter as absent', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme');
    const filter = { role: null, status: null, intent: null, since: null, counterpart: null, text: null };
    const { items } = await frank.call<{ items: { task_id: string }[] }>('tasks/list', { filter, page: null });
    expect(items.map((item) => item.task_id)).toEqual([id]);
    expect((await frank.call<{ items: object[] }>('tasks/list', { filter: null })).items).toHaveLength(1);
  });

  it('may be absent, null or empty where nothing is required, but not a list or a word', async () => {
    const { bob } = await relay.pair();
    for (const params of ['', ',"params":null', ',"params":{}']) {
      expect((await bob.post(`{"jsonrpc":"2.0","id":1,"method":"agents/list"${params}}`)).status).toBe(200);
    }
    for (const params of ['[]', '"x"', '7', 'true']) {
      const { body } = await bob.post(`{"jsonrpc":"2.0","id":1,"method":"agents/list","params":${params}}`);
      expect(body).toMatchObject({
        error: { code: -32602, message: 'params must be an object of named values.' },
      });
    }
  });

  it.each(WRONG)('of %s are refused for %p, naming %s', async (method, params, field) => {
    const { bob } = await relay.pair();
    const refusal = await bob.refusal(method, params);
    const faults = refusal.details['faults'] as { field: string }[] | undefined;
    expect([refusal.symbol, faults?.[0]?.field ?? refusal.details['field']]).toEqual(['invalid_params', field]);
  });

  it('are refused with every fault at once', async () => {
    const { bob } = await relay.pair();
    const refusal = await bob.refusal('tasks/list', { filter: { role: 'boss', status: 7 }, page: { limit: 0 }, x: 1 });
    const faults = refusal.details['faults'] as { field: string }[];
    expect(faults.map(({ field }) => field).sort()).toEqual(['filter.role', 'filter.status', 'page.limit', 'x']);
  });

  it.each(ON_ONE_TASK)('of %s are refused with a malformed task_id', async (method, params) => {
    const { bob } = await relay.pair();
    for (const task_id of ['', 'x', ID.slice(1), `${ID}0`, `{${ID}}`, ID.replaceAll('-', ''), 7, [ID], { id: ID }]) {
      const refusal = await bob.refusal(method, { ...params, task_id });
      expect([task_id, refusal.symbol, refusal.message]).toEqual([
        task_id,
        'invalid_params',
        'task_id must be an id (a UUID).',
      ]);
    }
  });

  it.each(ON_ONE_TASK)('of %s take a task_id in upper case for the same id', async (method, params) => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme');
    const caller = method === 'tasks/cancel' ? bob : frank;
    const result = await caller.call(method, { ...params, task_id: id.toUpperCase() });
    expect(result['task_id']).toBe(id);
  });
});

import { type TestAgent, text, useRelay } from '@agentrelay/testing';

const relay = useRelay();

interface Write {
  method: string;
  params: object;
  /** The same command with other arguments. */
  other: object;
  by: TestAgent;
}

/** A handoff in the state that the command needs, and the command. */
const COMMANDS: Record<string, () => Promise<Write>> = {
  'send a handoff': async () => {
    const { bob } = await relay.pair();
    const params = { recipient: 'frank@acme', message: text('x'), artifacts: [{ type: 'link', url: 'https://a.b' }] };
    return { by: bob, method: 'message/send', params, other: { ...params, message: text('y') } };
  },
  'append a message': async () => {
    const { bob, frank } = await relay.pair();
    const { task_id } = await bob.send('frank@acme');
    const params = { task_id, message: text('x'), payload: { a: 1 } };
    return { by: frank, method: 'message/send', params, other: { ...params, payload: { a: 2 } } };
  },
  accept: async () => {
    const { bob, frank } = await relay.pair();
    const { task_id } = await bob.send('frank@acme');
    const params = { task_id, transition: 'accept', session_id: 'a' };
    const second = await bob.send('frank@acme');
    return { by: frank, method: 'tasks/update', params, other: { ...params, task_id: second.task_id } };
  },
  complete: async () => {
    const { bob, frank } = await relay.pair();
    const { task_id } = await bob.send('frank@acme');
    await frank.accept(task_id);
    const params = { task_id, transition: 'complete', result_summary: 'Done.', outcome: 'failed' };
    return { by: frank, method: 'tasks/update', params, other: { ...params, outcome: 'answered' } };
  },
  cancel: async () => {
    const { bob } = await relay.pair();
    const { task_id } = await bob.send('frank@acme');
    const second = await bob.send('frank@acme');
    return { by: bob, method: 'tasks/cancel', params: { task_id }, other: { task_id: second.task_id } };
  },
};
const NAMES = Object.keys(COMMANDS);

/** Everything that a write can leave behind. */
async function traces(): Promise<object> {
  const [row] = await relay.database.query<object>(`SELECT
    (SELECT count(*) FROM handoffs) AS handoffs, (SELECT count(*) FROM messages) AS messages,
    (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM idempotency_records) AS records,
    (SELECT json_agg(h ORDER BY id) FROM handoffs h) AS rows`);
  return row!;
}

describe('an idempotency key', () => {
  it.each(NAMES)('makes a repeated %s answer as the first did, marked, and writes nothing', async (name) => {
    const { by, method, params } = await COMMANDS[name]!();
    const first = await by.call(method, params, { 'idempotency-key': 'k' });
    expect(first).not.toHaveProperty('replayed');
    const left = await traces();
    for (let i = 0; i < 2; i++) {
      const { status, body } = await by.rpc(method, params, { 'idempotency-key': 'k' });
      expect([status, body]).toEqual([200, { jsonrpc: '2.0', id: 1, result: { replayed: true, ...first } }]);
    }
    expect(await traces()).toEqual(left);
  });

  it.each(NAMES)('used again for another %s is refused, and writes nothing', async (name) => {
    const { by, method, params, other } = await COMMANDS[name]!();
    await by.call(method, params, { 'idempotency-key': 'k' });
    const left = await traces();
    expect(await by.refusal(method, other, { 'idempotency-key': 'k' })).toMatchObject({
      symbol: 'duplicate_idempotency_key',
      code: -32011,
      status: 409,
      details: { reason: 'idempotency_key_reused' },
    });
    expect(await traces()).toEqual(left);
  });

  it.each(NAMES)('is one key, whether it stands in the header, in metadata or as a parameter of %s', async (name) => {
    const { by, method, params } = await COMMANDS[name]!();
    const first = await by.call(method, params, { 'idempotency-key': 'k' });
    const replay = { replayed: true, ...first };
    expect(await by.call(method, { ...params, idempotency_key: 'k' })).toEqual(replay);
    expect(await by.call(method, { ...params, metadata: { client_idempotency_key: 'k' } })).toEqual(replay);
    const everywhere = { ...params, idempotency_key: 'k', metadata: { client_idempotency_key: 'k' } };
    expect(await by.call(method, everywhere, { 'idempotency-key': 'k' })).toEqual(replay);
  });

  it.each(NAMES)('of a %s that was refused may be used for the corrected one', async (name) => {
    const { by, method, params } = await COMMANDS[name]!();
    const wrong =
      'task_id' in params
        ? { ...params, task_id: '0198f7c0-0000-7000-8000-000000000000' }
        : { ...params, recipient: 'fred' };
    const refusal = await by.refusal(method, { ...wrong, idempotency_key: 'k' });
    expect(refusal.status).toBe(404);
    const corrected = await by.call(method, { ...params, idempotency_key: 'k' });
    expect(corrected).not.toHaveProperty('replayed');
  });

  it.each(NAMES)('counts as absent once its record of a %s has expired', async (name) => {
    const { by, method, params, other } = await COMMANDS[name]!();
    await by.call(method, params, { 'idempotency-key': 'k' });
    await relay.database.query(`UPDATE idempotency_records SET expires_at = now() - interval '1 second'`);
    const answer = await by.rpc(method, other, { 'idempotency-key': 'k' });
    expect(JSON.stringify(answer.body)).not.toMatch(/duplicate_idempotency_key|replayed/);
  });

  it('expires a day after its use', async () => {
    const { by, method, params } = await COMMANDS['send a handoff']!();
    await by.call(method, params, { 'idempotency-key': 'k' });
    expect(
      await relay.database.query(`SELECT (expires_at - created_at)::text AS life FROM idempotency_records`),
    ).toEqual([{ life: '1 day' }]);
  });

  it('that expired opens a new thread and is then remembered for that one', async () => {
    const { by, method, params } = await COMMANDS['send a handoff']!();
    const first = await by.call(method, params, { 'idempotency-key': 'k' });
    await relay.database.query(`UPDATE idempotency_records SET expires_at = now() - interval '1 second'`);
    const second = await by.call(method, params, { 'idempotency-key': 'k' });
    expect(second['task_id']).not.toBe(first['task_id']);
    expect(await by.call(method, params, { 'idempotency-key': 'k' })).toEqual({ replayed: true, ...second });
  });
});

describe('two idempotency keys in one call', () => {
  it.each([
    [{ idempotency_key: 'a' }, { 'idempotency-key': 'b' }],
    [{ metadata: { client_idempotency_key: 'a' } }, { 'idempotency-key': 'b' }],
    [{ metadata: { client_idempotency_key: 'a' }, idempotency_key: 'b' }, {}],
  ])('that differ are refused: %p with headers %p', async (params, headers) => {
    const { bob } = await relay.pair();
    const send = { recipient: 'frank', message: text('x'), ...params };
    const refusal = await bob.refusal('message/send', send, headers);
    expect(refusal).toMatchObject({ symbol: 'invalid_params', details: { field: 'idempotency_key' } });
    expect(await relay.database.query('SELECT id FROM handoffs')).toEqual([]);
  });
});

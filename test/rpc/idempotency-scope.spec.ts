import { text, useRelay } from '@agentrelay/testing';

const relay = useRelay();

const KEY = { idempotency_key: 'k' };

describe('the scope of an idempotency key', () => {
  it('is the caller: two agents may use one key', async () => {
    const { bob, frank } = await relay.pair();
    const one = await bob.send('frank', KEY);
    const other = await frank.send('bob', KEY);
    expect([one.replayed, other.replayed]).toEqual([undefined, undefined]);
  });

  it('tells the person from the agent of the same address', async () => {
    const { bob } = await relay.pair();
    const human = await relay.humanOf(bob);
    const one = await bob.send('frank', KEY);
    const other = await human.send('frank', KEY);
    expect(other.task_id).not.toBe(one.task_id);
    expect((await human.send('frank', KEY)).task_id).toBe(other.task_id);
  });

  it('survives a new credential of the same agent', async () => {
    const { bob } = await relay.pair();
    const first = await bob.send('frank', KEY);
    const { body } = await relay.admin<{ api_key: string }>('POST', '/admin/agents/bob@acme/keys', {});
    expect(await bob.withKey(body.api_key).send('frank', KEY)).toEqual({ replayed: true, ...first });
  });

  it('is the command: one key serves a whole life of a handoff', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank', KEY);
    const answers = [
      await frank.append(id, 'x', KEY),
      await frank.accept(id, KEY),
      await bob.append(id, 'y', KEY),
      await frank.complete(id, KEY),
    ];
    expect(answers.map((answer) => answer.replayed)).toEqual([undefined, undefined, undefined, undefined]);
    expect((await bob.get(id)).messages).toHaveLength(4);
  });

  it('joins both ways to cancel: they are one command, whatever the case of the id', async () => {
    const { bob } = await relay.pair();
    const { task_id: id } = await bob.send('frank');
    const first = await bob.cancel(id, KEY);
    const byUpdate = { task_id: id.toUpperCase(), transition: 'cancel', ...KEY };
    expect(await bob.call('tasks/update', byUpdate)).toEqual({ replayed: true, ...first });
    expect(await bob.cancel(id.toUpperCase(), KEY)).toEqual({ replayed: true, ...first });
  });

  it('ignores the order of members and the spelling of the recipient in comparing arguments', async () => {
    const { bob } = await relay.pair();
    const first = await bob.send('frank@acme', { ...KEY, metadata: { a: 1, b: { c: 2, d: 3 } } });
    const again = await bob.send('Frank@ACME', { ...KEY, metadata: { b: { d: 3, c: 2 }, a: 1 }, artifacts: null });
    expect(again).toEqual({ replayed: true, ...first });
  });

  it.each([['tasks/get'], ['tasks/list'], ['agents/list']])('leaves out reads: %s ignores keys', async (method) => {
    const { bob } = await relay.pair();
    const { task_id } = await bob.send('frank');
    const params = method === 'tasks/get' ? { task_id } : {};
    const metadata = { client_idempotency_key: 'one' };
    for (const role of ['any', 'sender']) {
      const filter = method === 'tasks/list' ? { filter: { role } } : {};
      const answer = await bob.call(method, { ...params, ...filter, metadata }, { 'idempotency-key': 'another' });
      expect(answer).not.toHaveProperty('replayed');
    }
    expect(await relay.database.query('SELECT key FROM idempotency_records')).toEqual([]);
  });
});

describe('an idempotency key', () => {
  it.each([
    ['a', true],
    ['k'.repeat(255), true],
    ['🔑'.repeat(255), true],
    ['k'.repeat(256), false],
    ['🔑'.repeat(256), false],
    ['', false],
    [7, false],
    [{}, false],
    ['a\u0000b', false],
  ])('written %p in metadata is taken: %s', async (key, taken) => {
    const { bob } = await relay.pair();
    const params = { recipient: 'frank', message: text('x'), metadata: { client_idempotency_key: key } };
    if (taken) {
      const first = await bob.call('message/send', params);
      expect(await bob.call('message/send', params)).toEqual({ replayed: true, ...first });
    } else {
      expect((await bob.refusal('message/send', params)).symbol).toBe('invalid_params');
    }
  });

  it('of 256 characters is refused in the header, too', async () => {
    const { bob } = await relay.pair();
    const refusal = await bob.refusal(
      'message/send',
      { recipient: 'frank', message: text('x') },
      { 'idempotency-key': 'k'.repeat(256) },
    );
    expect(refusal).toMatchObject({ symbol: 'invalid_params', details: { field: 'idempotency_key' } });
  });
});

describe('a replay', () => {
  it('tells of the first success also after the thread has moved on', async () => {
    const { bob, frank } = await relay.pair();
    const sent = await bob.send('frank', KEY);
    const id = sent.task_id;
    const appended = await bob.append(id, 'x', KEY);
    const accepted = await frank.accept(id, KEY);
    await frank.append(id, 'y');
    await frank.complete(id);
    expect(await bob.send('frank', KEY)).toEqual({ replayed: true, ...sent });
    expect(await bob.append(id, 'x', KEY)).toEqual({ replayed: true, ...appended });
    expect(await frank.accept(id, KEY)).toEqual({ replayed: true, ...accepted });
  });

  it('beats a block that came later, while new work is refused', async () => {
    const { bob, frank } = await relay.pair();
    const sent = await bob.send('frank', KEY);
    const id = sent.task_id;
    const appended = await bob.append(id, 'x', KEY);
    const accepted = await frank.accept(id, KEY);
    await frank.rest('POST', '/agents/me/block', { handle: 'bob@acme' });
    expect(await bob.send('frank', KEY)).toEqual({ replayed: true, ...sent });
    expect(await bob.append(id, 'x', KEY)).toEqual({ replayed: true, ...appended });
    expect(await frank.accept(id, KEY)).toEqual({ replayed: true, ...accepted });
    const fresh = { task_id: id, message: text('z') };
    expect((await bob.refusal('message/send', fresh)).symbol).toBe('teammate_blocked');
  });

  it('beats a recipient who was disabled meanwhile, and an expected_version that has passed', async () => {
    const { bob, frank } = await relay.pair();
    const sent = await bob.send('frank', KEY);
    const accepted = await frank.accept(sent.task_id, { ...KEY, expected_version: 1 });
    expect(await frank.accept(sent.task_id, { ...KEY, expected_version: 1 })).toEqual({ replayed: true, ...accepted });
    await relay.database.query(`UPDATE agents SET status = 'disabled' WHERE id = $1`, [frank.agentId]);
    expect(await bob.send('frank', KEY)).toEqual({ replayed: true, ...sent });
  });

  it('keeps no text: the record holds a digest, ids, numbers and times', async () => {
    const { bob } = await relay.pair();
    await bob.send('frank', { ...KEY, message: text('a secret plan'), metadata: { also: 'a secret plan' } });
    const [record] = await relay.database.query<object>('SELECT * FROM idempotency_records');
    expect(record).toMatchObject({ answer: null });
    expect(Object.keys(record!).sort()).toEqual([
      'answer',
      'arguments_hash',
      'command',
      'created_at',
      'expires_at',
      'handoff_id',
      'key',
      'scope',
      'sequence_no',
      'version',
    ]);
  });
});

describe('equal arguments that are spelled differently', () => {
  it.each([
    ['frank', 'frank@acme'],
    ['frank@acme', 'frank'],
    ['Frank@ACME', 'frank'],
    ['FRANK', 'frank@acme'],
  ])('a recipient as %s and then as %s are one write', async (first, second) => {
    const { bob } = await relay.pair();
    const { task_id } = await bob.send(first, { idempotency_key: 'k' });
    expect(await bob.send(second, { idempotency_key: 'k' })).toMatchObject({ task_id, replayed: true });
  });

  it('but another recipient of the same name is another write', async () => {
    const { bob } = await relay.pair();
    await relay.agent('frank@other');
    await bob.send('frank@acme', { idempotency_key: 'k' });
    const again = { recipient: 'frank@other', message: text('Please look.'), idempotency_key: 'k' };
    expect((await bob.refusal('message/send', again)).symbol).toBe('duplicate_idempotency_key');
  });
});

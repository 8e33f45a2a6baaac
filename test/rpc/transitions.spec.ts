import { useRelay } from '@agentrelay/testing';

const relay = useRelay();

async function pending() {
  const { bob, frank } = await relay.pair();
  const { task_id: id } = await bob.send('frank@acme');
  return { bob, frank, id };
}

async function accepted() {
  const { bob, frank, id } = await pending();
  await frank.accept(id);
  return { bob, frank, id };
}

const NOTHING_ENDED = { completed_at: null, cancelled_at: null, completion_artifacts: [] };

describe('the answer to a transition', () => {
  it('accept has exactly these members', async () => {
    const { frank, id } = await pending();
    const answer = await frank.accept(id, { session_id: 's' });
    expect(answer).toEqual({
      task_id: id,
      thread_id: id,
      status: { state: 'accepted' },
      work_status: 'IN_PROGRESS',
      version: 2,
      updated_at: answer.accepted_at,
      accepted_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) as string,
      ...NOTHING_ENDED,
    });
  });

  it.each([
    [undefined, 'answered', 'ANSWERED'],
    ['answered', 'answered', 'ANSWERED'],
    ['failed', 'failed', 'FAILED'],
  ])('complete with outcome %s has exactly these members', async (given, outcome, work_status) => {
    const { bob, frank, id } = await accepted();
    const artifacts = [{ type: 'test_command', command: 'npm test' }];
    const answer = await frank.complete(id, { outcome: given, artifacts, result_summary: 'No.' });
    expect(answer).toEqual({
      task_id: id,
      thread_id: id,
      status: { state: 'completed' },
      work_status,
      version: 3,
      updated_at: answer.completed_at,
      accepted_at: (await bob.get(id)).accepted_at,
      completed_at: expect.stringMatching(/Z$/) as string,
      cancelled_at: null,
      completion_artifacts: artifacts,
      outcome,
    });
    expect(await bob.get(id)).toMatchObject({
      status: { state: 'completed' },
      work_status,
      outcome,
      completed_summary: 'No.',
      completion_artifacts: artifacts,
      completed_at: answer.completed_at,
      version: 3,
    });
  });

  it.each([
    ['tasks/cancel', {}],
    ['tasks/update', { transition: 'cancel' }],
  ])('%s %p has exactly these members', async (method, params) => {
    const { bob, frank, id } = await pending();
    const answer = await bob.call(method, { task_id: id, ...params });
    expect(answer).toEqual({
      task_id: id,
      thread_id: id,
      status: { state: 'cancelled' },
      work_status: 'CANCELLED',
      version: 2,
      updated_at: answer['cancelled_at'],
      accepted_at: null,
      completed_at: null,
      cancelled_at: expect.stringMatching(/Z$/) as string,
      completion_artifacts: [],
    });
    expect(await frank.get(id)).toMatchObject({ status: { state: 'cancelled' }, cancelled_at: answer['cancelled_at'] });
  });

  it('accept with include_thread carries the thread as it now is, read', async () => {
    const { bob, frank, id } = await pending();
    await bob.append(id, 'more');
    const { thread, ...answer } = await frank.accept(id, { include_thread: true });
    expect(answer.status).toEqual({ state: 'accepted' });
    expect(thread).toEqual(await frank.get(id));
    expect([thread!.status.state, thread!.messages.length, thread!.unread_messages]).toEqual(['accepted', 2, 0]);
  });

  it('accept without include_thread reads nothing', async () => {
    const { frank, id } = await pending();
    expect(await frank.accept(id, { include_thread: false })).not.toHaveProperty('thread');
    expect((await frank.get(id, { mark_read: false })).unread_messages).toBe(1);
  });
});

describe('a session', () => {
  it('that repeats its accept gets the original answer, also after the handoff is completed', async () => {
    const { frank, id } = await pending();
    const first = await frank.accept(id, { session_id: 's1' });
    expect(await frank.accept(id, { session_id: 's1' })).toEqual({ ...first, replayed: true });
    await frank.complete(id);
    expect(await frank.accept(id, { session_id: 's1' })).toEqual({ ...first, replayed: true });
    expect(await relay.database.query(`SELECT id FROM events WHERE type = 'handoff.accepted'`)).toHaveLength(1);
  });

  it.each([
    ['another session', { session_id: 's2' }],
    ['no session', {}],
    ['an empty session', { session_id: '' }],
  ])('loses to the one that accepted, when it is %s', async (_, params) => {
    const { frank, id } = await pending();
    const { accepted_at } = await frank.accept(id, { session_id: 's1' });
    const refusal = await frank.refusal('tasks/update', { task_id: id, transition: 'accept', ...params });
    expect(refusal).toMatchObject({ symbol: 'state_changed', code: -32010, status: 409 });
    expect(refusal.message).toBe(
      `frank@acme already accepted this handoff at ${accepted_at} in another session; view_thread reads it.`,
    );
    expect(refusal.details).toEqual({ status: 'accepted', version: 2, accepted_at, accepted_session_id: 's1' });
  });

  it('that is empty never counts as the same', async () => {
    const { frank, id } = await pending();
    await frank.accept(id, { session_id: '' });
    const again = { task_id: id, transition: 'accept', session_id: '' };
    expect((await frank.refusal('tasks/update', again)).symbol).toBe('state_changed');
  });

  it('of the sender does not repeat an accept of the recipient', async () => {
    const { bob, frank, id } = await pending();
    await frank.accept(id, { session_id: 's1' });
    const asBob = { task_id: id, transition: 'accept', session_id: 's1' };
    expect((await bob.refusal('tasks/update', asBob)).symbol).toBe('not_authorized_transition');
  });

  it('has a name of at most 255 characters', async () => {
    const { frank, id } = await pending();
    const accept = { task_id: id, transition: 'accept' };
    expect((await frank.refusal('tasks/update', { ...accept, session_id: 's'.repeat(256) })).symbol).toBe(
      'invalid_params',
    );
    expect((await frank.accept(id, { session_id: 's'.repeat(255) })).status).toEqual({ state: 'accepted' });
  });
});

describe('expected_version', () => {
  it('lets a transition through only at that version, and a message does not move it', async () => {
    const { bob, frank, id } = await pending();
    await bob.append(id, 'more');
    const accept = { task_id: id, transition: 'accept' };
    expect(await frank.refusal('tasks/update', { ...accept, expected_version: 2 })).toMatchObject({
      symbol: 'state_changed',
      details: { expected_version: 2, version: 1 },
    });
    expect((await frank.accept(id, { expected_version: 1 })).version).toBe(2);
    const complete = { task_id: id, transition: 'complete', result_summary: 'x' };
    expect((await frank.refusal('tasks/update', { ...complete, expected_version: 1 })).symbol).toBe('state_changed');
    expect((await frank.complete(id, { expected_version: 2 })).version).toBe(3);
  });

  it('holds for cancel by either method', async () => {
    const { bob, id } = await pending();
    for (const [method, params] of [
      ['tasks/cancel', {}],
      ['tasks/update', { transition: 'cancel' }],
    ] as const) {
      expect(await bob.refusal(method, { task_id: id, expected_version: 9, ...params })).toMatchObject({
        symbol: 'state_changed',
        details: { expected_version: 9, version: 1 },
      });
    }
    expect((await bob.cancel(id, { expected_version: 1 })).version).toBe(2);
  });

  it('is looked at after the end of a thread, which stays thread_terminal', async () => {
    const { bob, id } = await pending();
    await bob.cancel(id);
    expect((await bob.refusal('tasks/cancel', { task_id: id, expected_version: 1 })).symbol).toBe('thread_terminal');
  });
});

it.each([
  ['accept', { result_summary: 'x' }, 'result_summary'],
  ['accept', { artifacts: [] }, 'artifacts'],
  ['accept', { outcome: 'failed' }, 'outcome'],
  ['complete', { include_thread: true, result_summary: 'x' }, 'include_thread'],
  ['cancel', { session_id: 's' }, 'session_id'],
  ['cancel', { include_thread: true }, 'include_thread'],
  ['cancel', { result_summary: 'x' }, 'result_summary'],
])('%s refuses %p: the parameter belongs to another transition', async (transition, params, field) => {
  const { bob, id } = await pending();
  expect(await bob.refusal('tasks/update', { task_id: id, transition, ...params })).toMatchObject({
    symbol: 'invalid_params',
    message: `${field} does not belong to the transition ${transition}; leave it out.`,
    details: { field },
  });
});

it.each(['session_id', 'transition', 'include_thread'])('tasks/cancel does not know %s', async (name) => {
  const { bob, id } = await pending();
  expect((await bob.refusal('tasks/cancel', { task_id: id, [name]: 'x' })).message).toMatch(
    `${name} is not known here`,
  );
});

import { type TestAgent, text, useRelay } from '@agentrelay/testing';

const relay = useRelay();

/** Threads from bob to frank and back, one pending and one accepted each; then frank blocks bob. */
async function blocked() {
  const { bob, frank } = await relay.pair();
  const open = async (sender: TestAgent, recipient: TestAgent) => {
    const { task_id: pending } = await sender.send(recipient.handle);
    const { task_id: accepted } = await sender.send(recipient.handle);
    await recipient.accept(accepted);
    return { pending, accepted };
  };
  const toFrank = await open(bob, frank);
  const toBob = await open(frank, bob);
  await frank.rest('POST', '/agents/me/block', { handle: 'bob@acme' });
  return { bob, frank, toFrank, toBob };
}

const TOLD = {
  blocked: 'frank@acme does not take work from you; talk to them outside the relay.',
  blocker: 'You have blocked bob@acme; unblock first to reach them.',
};

describe('a block', () => {
  it('refuses the blocked: new handoff, message on either thread, accept', async () => {
    const { bob, toFrank, toBob } = await blocked();
    const calls: [string, object][] = [
      ['message/send', { recipient: 'frank@acme', message: text('x') }],
      ['message/send', { recipient: 'FRANK', message: text('x') }],
      ['message/send', { task_id: toFrank.pending, message: text('x') }],
      ['message/send', { task_id: toBob.accepted, message: text('x') }],
      ['tasks/update', { task_id: toBob.pending, transition: 'accept' }],
    ];
    for (const [method, params] of calls) {
      expect(await bob.refusal(method, params)).toEqual({
        symbol: 'teammate_blocked',
        code: -32013,
        status: 403,
        message: TOLD.blocked,
        details: { blocked_by: 'teammate' },
      });
    }
  });

  it('refuses the blocker alike, and tells them to unblock first', async () => {
    const { frank, toFrank, toBob } = await blocked();
    const calls: [string, object][] = [
      ['message/send', { recipient: 'bob@acme', message: text('x') }],
      ['message/send', { task_id: toBob.pending, message: text('x') }],
      ['message/send', { task_id: toFrank.accepted, message: text('x') }],
      ['tasks/update', { task_id: toFrank.pending, transition: 'accept' }],
    ];
    for (const [method, params] of calls) {
      expect(await frank.refusal(method, params)).toMatchObject({
        symbol: 'teammate_blocked',
        message: TOLD.blocker,
        details: { blocked_by: 'you' },
      });
    }
  });

  it('lets both complete, cancel, read and list what there is', async () => {
    const { bob, frank, toFrank, toBob } = await blocked();
    expect((await bob.complete(toBob.accepted)).status).toEqual({ state: 'completed' });
    expect((await frank.complete(toFrank.accepted)).status).toEqual({ state: 'completed' });
    expect((await bob.cancel(toFrank.pending)).status).toEqual({ state: 'cancelled' });
    expect((await frank.cancel(toBob.pending)).status).toEqual({ state: 'cancelled' });
    for (const agent of [bob, frank]) {
      expect((await agent.get(toFrank.pending)).status).toEqual({ state: 'cancelled' });
      const { items } = await agent.call<{ items: object[] }>('tasks/list', { filter: { role: 'any' } });
      expect(items).toHaveLength(4);
    }
  });

  it('is told before an end that the thread has come to: the order of checks', async () => {
    const { bob, frank, toFrank } = await blocked();
    await bob.cancel(toFrank.pending);
    const accept = { task_id: toFrank.pending, transition: 'accept' };
    expect((await frank.refusal('tasks/update', accept)).symbol).toBe('teammate_blocked');
  });

  it('stands between these two only', async () => {
    const { bob, frank } = await blocked();
    const grace = await relay.agent('grace@acme');
    expect((await bob.send('grace')).recipient).toBe('grace@acme');
    expect((await grace.send('bob')).recipient).toBe('bob@acme');
    expect((await grace.send('frank')).recipient).toBe('frank@acme');
    expect((await frank.send('grace')).recipient).toBe('grace@acme');
  });

  it('is lifted by unblocking, in both directions', async () => {
    const { bob, frank, toBob } = await blocked();
    expect((await frank.rest('DELETE', '/agents/me/block/bob@acme')).body).toEqual({
      handle: 'bob@acme',
      blocked: false,
    });
    expect((await bob.send('frank')).recipient).toBe('frank@acme');
    expect((await bob.accept(toBob.pending)).status).toEqual({ state: 'accepted' });
  });

  it('from both sides stands until both have lifted it', async () => {
    const { bob, frank } = await blocked();
    await bob.rest('POST', '/agents/me/block', { handle: 'frank' });
    await frank.rest('DELETE', '/agents/me/block/bob');
    const send = { recipient: 'frank', message: text('x') };
    expect((await bob.refusal('message/send', send)).details).toEqual({ blocked_by: 'you' });
    await bob.rest('DELETE', '/agents/me/block/frank');
    expect((await bob.send('frank')).recipient).toBe('frank@acme');
  });
});

describe('the block list', () => {
  it('shows whom and why; blocking again changes nothing and makes no second event', async () => {
    const { frank } = await relay.pair();
    await relay.agent('ann@acme');
    const block = (body: object) => frank.rest('POST', '/agents/me/block', body);
    const first = await block({ handle: 'Bob@Acme', reason: 'Too many pings 🙃' });
    expect(first).toMatchObject({ status: 200, body: { handle: 'bob@acme', reason: 'Too many pings 🙃' } });
    const again = await block({ handle: 'bob', reason: 'another' });
    expect([again.status, again.body]).toEqual([200, first.body]);
    const { body: second } = await block({ handle: 'ann@acme' });
    expect(Object.keys(second)).toEqual(['handle', 'created_at']);
    expect((await frank.rest('GET', '/agents/me/block')).body).toEqual({ blocked: [second, first.body] });
    expect(await relay.database.query(`SELECT id FROM events WHERE type = 'block.added'`)).toHaveLength(2);
  });

  it("is one's own: the blocked see nothing in theirs", async () => {
    const { bob } = await blocked();
    expect((await bob.rest('GET', '/agents/me/block')).body).toEqual({ blocked: [] });
  });

  it('unblocks twice without complaint and with one event', async () => {
    const { frank } = await blocked();
    for (let i = 0; i < 2; i++) expect((await frank.rest('DELETE', '/agents/me/block/BOB@acme')).status).toBe(200);
    expect(await relay.database.query(`SELECT id FROM events WHERE type = 'block.removed'`)).toHaveLength(1);
  });

  it.each(['nobody@acme', 'nobody', '%00', '%20'])('knows no %s to block or unblock', async (handle) => {
    const { frank } = await relay.pair();
    const unblock = await frank.rest('DELETE', `/agents/me/block/${handle}`);
    expect([unblock.status, unblock.body['code']]).toEqual([404, 'recipient_not_found']);
    if (handle.startsWith('%')) return;
    const block = await frank.rest('POST', '/agents/me/block', { handle });
    expect([block.status, block.body['code']]).toEqual([404, 'recipient_not_found']);
  });

  it.each([
    [{ handle: 'frank' }, { field: 'handle' }],
    [{ handle: '' }, { faults: [{ field: 'handle' }] }],
    [{}, { faults: [{ field: 'handle' }] }],
    [{ handle: 'bob', reason: 'x'.repeat(501) }, { faults: [{ field: 'reason' }] }],
    [{ handle: 'bob', until: 'monday' }, { faults: [{ field: 'until' }] }],
  ])('refuses %p', async (body, details) => {
    const { frank } = await relay.pair();
    expect(await frank.rest('POST', '/agents/me/block', body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_params', details },
    });
  });

  it('holds at most a thousand', async () => {
    const { bob, frank } = await relay.pair();
    await relay.database.query(
      `WITH crowd AS (INSERT INTO agents (id, handle, owner_id, display_name)
         SELECT gen_random_uuid(), 'x' || n || '@acme', owner_id, 'x' FROM agents, generate_series(1, 1000) n
         WHERE id = $1 RETURNING id)
       INSERT INTO blocks (blocker_id, blocked_id) SELECT $2, id FROM crowd`,
      [bob.agentId, frank.agentId],
    );
    expect(await frank.rest('POST', '/agents/me/block', { handle: 'bob' })).toMatchObject({
      status: 409,
      body: { code: 'conflict', details: { limit: 1000 } },
    });
  });
});

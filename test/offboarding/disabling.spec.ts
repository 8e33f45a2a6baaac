import { acceptedUntil, type TestAgent, text, useReplicas } from '@agentrelay/testing';

const { relay, urlOf } = useReplicas(2);

let bob: TestAgent;
let frank: TestAgent;

beforeEach(async () => {
  ({ bob, frank } = await relay.pair());
});

const disable = (handle = 'frank@acme') => relay.admin('DELETE', `/admin/agents/${handle}`);

const LEFT = 'The recipient has left the team before finishing this. Hand it to somebody else.';

describe('disabling an agent', () => {
  it('kills every key, at once here and within a second on the other replica', async () => {
    const human = await relay.humanOf(frank);
    const elsewhere = frank.at(urlOf(1));
    for (const agent of [frank, human, elsewhere]) expect((await agent.rest('GET', '/agents/me')).status).toBe(200);
    expect(await disable('FRANK@acme')).toMatchObject({
      status: 200,
      body: { handle: 'frank@acme', status: 'disabled' },
    });
    const start = performance.now();
    for (const agent of [frank, human]) expect((await agent.rest('GET', '/agents/me')).status).toBe(401);
    const isAccepted = async () => (await elsewhere.rest('GET', '/agents/me')).status === 200;
    expect(await acceptedUntil(start, isAccepted)).toBeLessThan(1_000);
    expect(
      await relay.database.query('SELECT FROM api_keys WHERE agent_id = $1 AND revoked_at IS NULL', [frank.agentId]),
    ).toEqual([]);
  });

  it('gives open work back: pending is cancelled, accepted completed as failed, by the system and with a reason', async () => {
    const { task_id: pending } = await bob.send('frank');
    const { task_id: accepted } = await bob.send('frank');
    await frank.accept(accepted);
    const { task_id: done } = await bob.send('frank');
    await frank.accept(done);
    await frank.complete(done);
    const before = await bob.get(done);
    await disable();

    expect(await bob.get(pending, { mark_read: false })).toMatchObject({
      status: { state: 'cancelled' },
      work_status: 'CANCELLED',
      version: 2,
      unread_messages: 0,
      cancelled_at: expect.any(String) as string,
      delivery: { accepted: { cause: 'it was cancelled' } },
    });
    const failed = await bob.get(accepted, { mark_read: false });
    expect(failed).toMatchObject({
      status: { state: 'completed' },
      work_status: 'FAILED',
      outcome: 'failed',
      version: 3,
      unread_messages: 1,
      completed_summary: LEFT,
      completion_artifacts: [],
      delivery: { completed: { at: failed.completed_at } },
    });
    expect(failed.messages[1]).toEqual({
      id: expect.any(String) as string,
      sequence_no: 2,
      from: 'system',
      kind: 'result',
      body: LEFT,
      payload: {},
      artifacts: [],
      created_at: failed.completed_at,
    });
    expect((await bob.get(done)).updated_at).toBe(before.updated_at);
  });

  it('tells the senders by events of the system', async () => {
    const { task_id: pending } = await bob.send('frank');
    const { task_id: accepted } = await bob.send('frank');
    await frank.accept(accepted);
    const { cursor } = await bob.events(1);
    await disable();
    const { events } = await bob.events(2, { cursor });
    expect(events).toHaveLength(2);
    expect(events).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'handoff.cancelled', actor: 'system', actor_kind: 'system', task_id: pending }),
        expect.objectContaining({
          type: 'handoff.completed',
          actor: 'system',
          actor_kind: 'system',
          task_id: accepted,
        }),
      ]),
    );
  });

  it('gives back more than one batch, every handoff once', async () => {
    await bob.send('frank');
    await relay.database.query(
      `WITH more AS (
         INSERT INTO handoffs (id, sender_id, recipient_id, intent, summary_preview, artifact_count, metadata, created_at, updated_at)
         SELECT gen_random_uuid(), sender_id, recipient_id, 'inform', 'x', 0, '{}', now(), now()
         FROM handoffs, generate_series(1, 120) RETURNING id, sender_id)
       INSERT INTO messages SELECT id, 1, gen_random_uuid(), sender_id, 'summary', 'x', '{}', '[]', now() FROM more`,
    );
    await disable();
    expect(await relay.database.query('SELECT status, count(*)::integer FROM handoffs GROUP BY status')).toEqual([
      { status: 'cancelled', count: 121 },
    ]);
    expect(await relay.database.query(`SELECT handoff_id FROM events WHERE type = 'handoff.cancelled'`)).toHaveLength(
      121,
    );
  });

  it('leaves what the agent itself had sent, which its recipients can still finish', async () => {
    const { task_id: id } = await frank.send('bob');
    await disable();
    expect((await bob.get(id)).status).toEqual({ state: 'pending' });
    await bob.accept(id);
    expect((await bob.complete(id)).status).toEqual({ state: 'completed' });
  });

  it('makes writing to it recipient_not_found, and takes it off the roster', async () => {
    const { task_id: sent } = await bob.send('frank');
    const { task_id: received } = await frank.send('bob');
    await disable();
    for (const params of [{ recipient: 'frank@acme' }, { recipient: 'frank' }, { task_id: received }]) {
      expect(await bob.refusal('message/send', { ...params, message: text('x') })).toMatchObject({
        symbol: 'recipient_not_found',
        status: 404,
      });
    }
    expect((await bob.get(sent)).recipient.handle).toBe('frank@acme');
    const { teammates } = await bob.call<{ teammates: { handle: string }[] }>('agents/list');
    expect(teammates.map(({ handle }) => handle)).toEqual(['bob@acme']);
  });

  it('twice is the same as once, and one event by the administrator', async () => {
    await bob.send('frank');
    const first = await disable();
    expect(await disable()).toMatchObject({ status: first.status, body: first.body });
    const events = await relay.database.query(
      `SELECT type, actor_kind, actor_name FROM events WHERE type IN ('agent.disabled', 'handoff.cancelled') ORDER BY type`,
    );
    expect(events).toEqual([
      { type: 'agent.disabled', actor_kind: 'admin', actor_name: 'admin' },
      { type: 'handoff.cancelled', actor_kind: 'system', actor_name: null },
    ]);
  });

  it('of nobody is not found, and is for administrators only', async () => {
    expect(await disable('nobody@acme')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await bob.rest('DELETE', '/admin/agents/frank@acme')).status).toBe(403);
    expect((await relay.anonymous('DELETE', '/admin/agents/frank@acme')).status).toBe(401);
    expect((await frank.rest('GET', '/agents/me')).status).toBe(200);
  });
});

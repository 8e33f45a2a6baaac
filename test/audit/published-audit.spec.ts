import { type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();

interface Published {
  events: { timestamp: string; action: string; [member: string]: unknown }[];
}

let bob: TestAgent;
let frank: TestAgent;

beforeEach(async () => {
  ({ bob, frank } = await relay.pair());
});

async function published(agent: TestAgent, query = ''): Promise<Published['events']> {
  const { status, body } = await agent.rest<Published>('GET', `/agents/me/audit${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.events;
}

/** Makes `count` more events of bob's by hand. */
function addEvents(count: number): Promise<unknown> {
  return relay.database.query(
    `INSERT INTO events (transaction_id, id, type, actor_kind, actor_id, agent_id, payload, request_id, created_at)
     SELECT 1, gen_random_uuid(), 'card.updated', 'agent', $1, $1, '{}', 'r', now() FROM generate_series(1, $2)`,
    [bob.agentId, count],
  );
}

describe('GET /agents/me/audit', () => {
  it('is the log in the shape that published clients read, newest first', async () => {
    const { task_id } = await bob.send('frank', {}, { 'x-request-id': 'the-send' });
    const { updated_at } = await frank.accept(task_id);
    await bob.rest('POST', '/agents/me/block', { handle: 'frank' });
    const { created_at } = await bob.get(task_id);
    expect(await published(bob)).toEqual([
      {
        timestamp: expect.stringMatching(/Z$/) as string,
        actor_handle: 'bob@acme',
        action: 'agent.block',
        resource_type: 'agent',
        request_id: expect.any(String) as string,
        metadata: { blocked_id: frank.agentId },
      },
      {
        timestamp: updated_at,
        actor_handle: 'frank@acme',
        action: 'handoff.accept',
        resource_type: 'handoff',
        resource_id: task_id,
        request_id: expect.any(String) as string,
        metadata: { version: 2, sequence_no: 1 },
      },
      {
        timestamp: created_at,
        actor_handle: 'bob@acme',
        action: 'handoff.create',
        resource_type: 'handoff',
        resource_id: task_id,
        request_id: 'the-send',
        metadata: { intent: 'inform' },
      },
      expect.objectContaining({ actor_handle: 'admin', action: 'agent.register', resource_type: 'agent' }),
    ]);
  });

  it('names every action as published clients know it', async () => {
    const { task_id: first } = await bob.send('frank');
    await frank.append(first, 'x');
    await frank.accept(first);
    await frank.complete(first);
    const { task_id: second } = await bob.send('frank');
    await bob.cancel(second);
    await frank.rest('POST', '/agents/me/block', { handle: 'bob' });
    await frank.rest('DELETE', '/agents/me/block/bob');
    const invite = { handle: 'grace@acme', inviter_handle: 'frank@acme' };
    const { body } = await relay.admin<{ url: string; jti: string }>('POST', '/admin/invites', invite);
    await relay.anonymous('POST', `/invites/${body.jti}/redeem`, { token: body.url.split('.').at(-1) });
    expect((await published(frank)).map(({ action }) => action)).toEqual([
      'invite.minted',
      'agent.unblock',
      'agent.block',
      'handoff.cancel',
      'handoff.create',
      'handoff.complete',
      'handoff.accept',
      'message.append',
      'handoff.create',
      'agent.register',
    ]);
  });

  it.each([
    ['?action=handoff.create', ['handoff.create']],
    ['?action=handoff.created', ['handoff.create']],
    ['?action=agent.block', []],
    ['?from=frank@acme', ['handoff.accept']],
    ['?since=2099-01-01T00:00:00Z', []],
    ['?since=2020-01-01T00:00:00Z&limit=1', ['handoff.accept']],
  ])('%s is %p', async (query, actions) => {
    const { task_id } = await bob.send('frank');
    await frank.accept(task_id);
    expect((await published(bob, query)).map(({ action }) => action)).toEqual(actions);
  });

  it.each([
    ['', 100],
    ['?limit=999', 999],
    ['?limit=1000', 1_000],
    ['?limit=1001', 1_000],
    ['?limit=999999999', 1_000],
  ])('with the limit %p answers with at most %i of 1,100 events', async (query, count) => {
    await addEvents(1_100);
    expect(await published(bob, query)).toHaveLength(count);
  });

  it.each([
    ['?limit=0', 'limit'],
    ['?limit=-1', 'limit'],
    ['?limit=many', 'limit'],
    ['?action=x', 'action'],
    ['?since=x', 'since'],
    ['?from=x', 'from'],
    ['?cursor=x', 'cursor'],
  ])('refuses %s, naming %s', async (query, field) => {
    expect(await bob.rest('GET', `/agents/me/audit${query}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_params', details: { faults: [{ field }] } },
    });
  });
});

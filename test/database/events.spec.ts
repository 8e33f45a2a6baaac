import { text, useRelay } from '@agentrelay/testing';

const relay = useRelay();

interface EventRow {
  type: string;
  actor_kind: string;
  actor_id: string | null;
  actor_name: string | null;
  handoff_id: string | null;
  sender_id: string | null;
  recipient_id: string | null;
  agent_id: string | null;
  payload: object;
  request_id: string;
}

const COLUMNS =
  'type, actor_kind, actor_id, actor_name, handoff_id, sender_id, recipient_id, agent_id, payload, request_id';

/** The events that `change` leaves. */
async function eventsOf(change: () => Promise<unknown>): Promise<EventRow[]> {
  const before = await relay.database.query<{ id: string }>('SELECT id FROM events');
  await change();
  return relay.database.query<EventRow>(
    `SELECT ${COLUMNS} FROM events WHERE id <> ALL ($1) ORDER BY transaction_id, id`,
    [before.map(({ id }) => id)],
  );
}

const SECRET = 'words of nobody else';

describe('a change to a thread', () => {
  it.each([
    ['handoff.created', 'bob', { intent: 'inform' }],
    ['message.appended', 'frank', { version: 1, sequence_no: 2 }],
    ['handoff.accepted', 'frank', { version: 2, sequence_no: 2 }],
    ['handoff.completed', 'human', { version: 3, sequence_no: 3 }],
    ['handoff.cancelled', 'bob', { version: 2, sequence_no: 1 }],
  ])('leaves one %s for both participants, with actor, request and no word of it', async (type, who, payload) => {
    const { bob, frank } = await relay.pair();
    const human = await relay.humanOf(frank);
    const says = { message: text(SECRET), metadata: { note: SECRET }, artifacts: [] };
    const { task_id: id } = type === 'handoff.created' ? { task_id: '' } : await bob.send('frank', says);
    if (type === 'handoff.accepted' || type === 'handoff.completed') await frank.append(id, SECRET);
    if (type === 'handoff.completed') await frank.accept(id);
    const request = { 'x-request-id': 'request-7' };
    const changes: Record<string, () => Promise<unknown>> = {
      'handoff.created': () => bob.call('message/send', { recipient: 'frank', ...says }, request),
      'message.appended': () => frank.call('message/send', { task_id: id, ...says }, request),
      'handoff.accepted': () => frank.call('tasks/update', { task_id: id, transition: 'accept' }, request),
      'handoff.completed': () =>
        human.call('tasks/update', { task_id: id, transition: 'complete', result_summary: SECRET }, request),
      'handoff.cancelled': () => bob.call('tasks/cancel', { task_id: id }, request),
    };
    const events = await eventsOf(changes[type]!);
    const [handoff] = await relay.database.query<{ id: string }>('SELECT id FROM handoffs');
    expect(events).toEqual([
      {
        type,
        actor_kind: who === 'human' ? 'human' : 'agent',
        actor_id: { bob, frank, human }[who]!.agentId,
        actor_name: null,
        handoff_id: handoff!.id,
        sender_id: bob.agentId,
        recipient_id: frank.agentId,
        agent_id: null,
        payload,
        request_id: 'request-7',
      },
    ]);
    expect(JSON.stringify(events)).not.toContain(SECRET);
  });

  it('that is refused, replayed or only a read leaves none', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank', { idempotency_key: 'k' });
    await frank.accept(id, { session_id: 's' });
    const events = await eventsOf(async () => {
      await bob.send('frank', { idempotency_key: 'k' });
      await frank.accept(id, { session_id: 's' });
      await bob.refusal('tasks/cancel', { task_id: id });
      await bob.refusal('message/send', { recipient: 'nobody', message: text('x') });
      await frank.get(id);
      await frank.call('tasks/list');
      await frank.call('agents/list');
    });
    expect(events).toEqual([]);
  });
});

describe('a change to an agent', () => {
  it('leaves one event for that agent, with the admin by name or the agent itself as actor', async () => {
    const { bob, frank } = await relay.pair();
    const keys = '/admin/agents/bob@acme/keys';
    let keyId = '';
    const issued = await eventsOf(async () => {
      keyId = (await relay.admin<{ key_id: string }>('POST', keys, { principal: 'human' })).body.key_id;
    });
    const by = (actor: object) => ({
      handoff_id: null,
      sender_id: null,
      recipient_id: null,
      agent_id: bob.agentId,
      ...actor,
    });
    const admin = by({ actor_kind: 'admin', actor_id: null, actor_name: 'admin' });
    const self = by({ actor_kind: 'agent', actor_id: bob.agentId, actor_name: null });
    expect(issued).toMatchObject([{ type: 'key.issued', ...admin, payload: { key_id: keyId, principal: 'human' } }]);
    expect(await eventsOf(() => relay.admin('DELETE', `${keys}/${keyId}`))).toMatchObject([
      { type: 'key.revoked', ...admin, payload: { key_id: keyId } },
    ]);
    expect(await eventsOf(() => bob.rest('PUT', '/agents/me/card', { description: SECRET }))).toMatchObject([
      { type: 'card.updated', ...self, payload: { members: ['description'] } },
    ]);
    expect(
      await eventsOf(() => bob.rest('POST', '/agents/me/block', { handle: 'frank', reason: SECRET })),
    ).toMatchObject([{ type: 'block.added', ...self, payload: { blocked_id: frank.agentId } }]);
    expect(await eventsOf(() => bob.rest('DELETE', '/agents/me/block/frank'))).toMatchObject([
      { type: 'block.removed', ...self, payload: { blocked_id: frank.agentId } },
    ]);
    expect(JSON.stringify(await relay.database.query('SELECT payload FROM events'))).not.toContain(SECRET);
  });

  it('leaves agent.registered with the key id, and neither the key nor the handle, so that it can be forgotten', async () => {
    const events = await eventsOf(() => relay.agent('grace@acme'));
    const [key] = await relay.database.query<{ id: string }>('SELECT id FROM api_keys');
    expect(events).toMatchObject([
      { type: 'agent.registered', actor_kind: 'admin', actor_name: 'admin', payload: { key_id: key!.id } },
    ]);
    expect(Object.keys(events[0]!.payload)).toEqual(['key_id']);
  });
});

it('events are ordered by the transaction that wrote them, so that a late commit can be told', async () => {
  const { bob } = await relay.pair();
  for (let i = 0; i < 5; i++) await bob.send('frank');
  const rows = await relay.database.query<{ ordered: boolean }>(
    `SELECT transaction_id > lag(transaction_id) OVER (ORDER BY id) AS ordered FROM events OFFSET 1`,
  );
  expect(rows.map(({ ordered }) => ordered)).toEqual(rows.map(() => true));
  expect(rows).toHaveLength(6);
});

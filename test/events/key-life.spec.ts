import { eventually, EventStreamReader, useRelay } from '@agentrelay/testing';

const relay = useRelay();

describe('a key that ends while it waits', () => {
  // Nothing else would end them: the poll has 50 seconds, and an idle stream asks nothing.
  it('ends the long poll and the stream, and not before that', async () => {
    const frank = (await relay.agent('frank@acme')).at(relay.replicaUrl);
    const { cursor } = await frank.call<{ cursor: string }>('events/list');
    const stream = await EventStreamReader.open(frank);
    const waiting = frank.rpc('events/list', { cursor, wait_ms: 50_000 });
    const start = Date.now();
    await relay.admin('POST', '/admin/agents/frank@acme/keys/rotate', { overlap_seconds: 1 });
    expect(await waiting).toMatchObject({ status: 401, body: { error: { data: { code: 'unauthenticated' } } } });
    await eventually('the stream ended', () => stream.ended);
    expect(Date.now() - start).toBeGreaterThanOrEqual(900);
  });

  it('is noticed although an older write, still open, keeps its event from every reader', async () => {
    const frank = (await relay.agent('frank@acme')).at(relay.replicaUrl);
    const { cursor } = await frank.call<{ cursor: string }>('events/list');
    const stream = await EventStreamReader.open(frank);
    const waiting = frank.rpc('events/list', { cursor, wait_ms: 50_000 });
    const holder = await relay.database.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT pg_current_xact_id()');
    const bob = await relay.agent('bob@acme');
    // More than are looked through at once.
    await relay.database.query(
      `INSERT INTO events (transaction_id, id, type, actor_kind, actor_id, agent_id, payload, request_id, created_at)
       SELECT pg_current_xact_id()::text::bigint, gen_random_uuid(), 'card.updated', 'agent', $1, $1, '{}', 'r', now()
       FROM generate_series(1, 600)`,
      [bob.agentId],
    );
    await relay.admin('POST', '/admin/agents/frank@acme/keys/rotate', { overlap_seconds: 0 });
    expect(await waiting).toMatchObject({ status: 401 });
    await eventually('the stream ended', () => stream.ended);
    await holder.end();
  });
});

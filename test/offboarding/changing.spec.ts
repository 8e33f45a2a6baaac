import type { WireAgent } from '@agentrelay/protocol';
import { restCall, type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();

let bob: TestAgent;
let frank: TestAgent;

beforeEach(async () => {
  ({ bob, frank } = await relay.pair());
});

const patch = (body: object) => relay.admin<WireAgent>('PATCH', '/admin/agents/frank@acme', body);

describe('changing an agent', () => {
  it('to active lets it work again: with a new key, its old ones stay dead', async () => {
    await relay.admin('DELETE', '/admin/agents/frank@acme');
    expect(await patch({ status: 'active' })).toMatchObject({
      status: 200,
      body: { handle: 'frank@acme', status: 'active' },
    });
    expect((await frank.rest('GET', '/agents/me')).status).toBe(401);
    const { body } = await relay.admin<{ api_key: string }>('POST', '/admin/agents/frank@acme/keys', {});
    expect((await restCall(relay.url, body.api_key, 'GET', '/agents/me')).status).toBe(200);
    expect((await bob.send('frank')).recipient).toBe('frank@acme');
    await patch({ status: 'active' });
    expect(await relay.database.query(`SELECT actor_name FROM events WHERE type = 'agent.enabled'`)).toEqual([
      { actor_name: 'admin' },
    ]);
  });

  it('in name and role shows at once, and in an event without the words', async () => {
    const { body } = await patch({ display_name: 'Frank B.', role: 'lead' });
    expect(body).toMatchObject({ handle: 'frank@acme', name: 'Frank B.', role: 'lead' });
    expect((await relay.admin('GET', '/admin/agents/frank@acme')).body).toEqual(body);
    expect((await patch({ role: '' })).body).toMatchObject({ name: 'Frank B.', role: '' });
    expect(
      await relay.database.query(`SELECT payload FROM events WHERE type = 'card.updated' ORDER BY transaction_id`),
    ).toEqual([{ payload: { members: ['display_name', 'role'] } }, { payload: { members: ['role'] } }]);
  });

  it.each([
    [{ status: 'disabled' }, 'status'],
    [{ display_name: '' }, 'display_name'],
    [{ role: 'x'.repeat(121) }, 'role'],
    [{ handle: 'x@acme' }, 'handle'],
    [{ email: 'x@acme.example' }, 'email'],
  ])('with %p is refused', async (body, field) => {
    expect(await patch(body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_params', details: { faults: [{ field }] } },
    });
  });

  it.each(['GET', 'PATCH'])('of nobody (%s) is not found', async (method) => {
    expect(await relay.admin(method, '/admin/agents/nobody@acme')).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });
});

import type { WireRoster } from '@agentrelay/protocol';
import { type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();

let ann: TestAgent;

beforeEach(async () => {
  ann = await relay.agent('ann@acme', { role: 'Backend', skills: ['SQL', 'go'], repos_owned: ['acme/api'] });
  await relay.agent('ben@acme', { role: 'backend', skills: ['testing'], repos_owned: ['acme/api-docs'] });
  await relay.agent('cat@acme', { role: 'frontend', repos_owned: ['acme/web'] });
  await relay.agent('zac@acme', { role: 'backend' });
  await relay.admin('DELETE', '/admin/agents/zac@acme');
});

describe('GET /agents', () => {
  it.each([
    ['', ['ann', 'ben', 'cat']],
    ['?role=BACKEND', ['ann', 'ben']],
    ['?skill=sql', ['ann']],
    ['?repo=acme/api/src', ['ann']],
    ['?role=backend&skill=go&repo=acme', ['ann']],
    ['?role=frontend&skill=go', []],
  ])('with %p is the active team: %p', async (query, names) => {
    const { status, body } = await ann.rest<WireRoster>('GET', `/agents${query}`);
    expect([status, body.teammates.map(({ handle }) => handle)]).toEqual([200, names.map((name) => `${name}@acme`)]);
  });

  it('shows each teammate as agents/list does, and no address', async () => {
    const { body } = await ann.rest<WireRoster>('GET', '/agents');
    const { teammates } = await ann.call<WireRoster>('agents/list');
    expect(body).toEqual({ teammates, next_cursor: null });
    expect(JSON.stringify(body)).not.toContain('acme.example');
  });

  it.each([
    ['?role=', 'role'],
    [`?role=${'x'.repeat(121)}`, 'role'],
    ['?skill=a&skill=b', 'skill'],
    [`?repo=${'x'.repeat(201)}`, 'repo'],
    ['?handle=ann', 'handle'],
  ])('refuses %p, naming %s', async (query, field) => {
    expect(await ann.rest('GET', `/agents${query}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_params', details: { faults: [{ field }] } },
    });
  });

  it('asks for a key', async () => {
    expect(await relay.anonymous('GET', '/agents')).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  });
});

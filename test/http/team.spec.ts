import { useRelay } from '@agentrelay/testing';

const relay = useRelay({ RELAY_TEAM: 'Acme' });

describe('a relay of one team', () => {
  it('registers only handles of that team, whatever the case', async () => {
    expect((await relay.admin('POST', '/admin/agents', { handle: 'bob@ACME' })).status).toBe(201);
    expect(await relay.admin('POST', '/admin/agents', { handle: 'bob@acme.io' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_params', message: "handle must belong to this relay's team: name@Acme." },
    });
  });
});

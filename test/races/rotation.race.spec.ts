import { useRelay } from '@agentrelay/testing';

const relay = useRelay();

describe('rotations of one agent at once', () => {
  it('all succeed, and leave only the last keys for longer than their overlap', async () => {
    const frank = await relay.agent('frank@acme');
    for (let i = 0; i < 10; i++) await relay.admin('POST', '/admin/agents/frank@acme/keys', { label: `key ${i}` });
    const rotate = () => relay.admin('POST', '/admin/agents/frank@acme/keys/rotate', { overlap_seconds: 0 });
    const answers = await Promise.all(Array.from({ length: 40 }, rotate));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect((await frank.rest('GET', '/agents/me')).status).toBe(401);
    const live = await relay.database.query(
      'SELECT FROM api_keys WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())',
    );
    expect(live.length).toBeGreaterThanOrEqual(1);
  });
});

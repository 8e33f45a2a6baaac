import { TEST_ADMIN_TOKEN, useRelay } from '@agentrelay/testing';

const relay = useRelay();

async function keyed(token: string, method: string, path: string, body: object | undefined, key: string) {
  const response = await fetch(`${relay.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('an idempotency key on REST', () => {
  it('makes a repeated block one block, and refuses the key for another teammate', async () => {
    const bob = await relay.agent('bob@acme');
    await relay.agent('frank@acme');
    await relay.agent('eve@acme');
    const first = await keyed(bob.apiKey, 'POST', '/agents/me/block', { handle: 'frank@acme', reason: 'spam' }, 'k');
    expect(first.status).toBe(200);
    expect(await keyed(bob.apiKey, 'POST', '/agents/me/block', { handle: 'frank@acme', reason: 'spam' }, 'k')).toEqual(
      first,
    );
    const other = await keyed(bob.apiKey, 'POST', '/agents/me/block', { handle: 'eve@acme' }, 'k');
    expect(other).toMatchObject({ status: 409, body: { code: 'duplicate_idempotency_key' } });
    expect(await relay.database.query(`SELECT type FROM events WHERE type = 'block.added'`)).toHaveLength(1);
  });

  it('does not write a card a second time', async () => {
    const bob = await relay.agent('bob@acme');
    await keyed(bob.apiKey, 'PUT', '/agents/me/card', { description: 'first' }, 'k');
    await keyed(bob.apiKey, 'PUT', '/agents/me/card', { description: 'second' }, 'other');
    const repeated = await keyed(bob.apiKey, 'PUT', '/agents/me/card', { description: 'first' }, 'k');
    expect(repeated).toMatchObject({ status: 200, body: { description: 'second' } });
  });

  it.each([
    ['POST', '/admin/agents', { handle: 'new@acme' }],
    ['POST', '/admin/agents/frank@acme/keys', { label: 'laptop' }],
    ['POST', '/admin/agents/frank@acme/keys/rotate', {}],
    ['POST', '/admin/invites', { handle: 'invited@acme', inviter_handle: 'frank@acme' }],
  ])('never shows a credential twice: %s %s answers a repetition with conflict', async (method, path, body) => {
    await relay.agent('frank@acme');
    expect((await keyed(TEST_ADMIN_TOKEN, method, path, body, 'k')).status).toBe(201);
    const again = await keyed(TEST_ADMIN_TOKEN, method, path, body, 'k');
    expect(again).toMatchObject({ status: 409, body: { code: 'conflict', details: { field: 'idempotency_key' } } });
  });

  it('of more than 255 characters is refused', async () => {
    const bob = await relay.agent('bob@acme');
    const refused = await keyed(bob.apiKey, 'PUT', '/agents/me/card', { description: 'x' }, 'k'.repeat(256));
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_params' } });
  });
});

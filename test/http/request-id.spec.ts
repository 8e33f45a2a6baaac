import { useRelay } from '@agentrelay/testing';
import { rawRequest } from './raw-request';

const relay = useRelay();

const MADE = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('X-Request-Id', () => {
  it.each([
    ['a word', 'abc-123'],
    ['one character', '~'],
    ['all of visible ASCII', '!"#$%&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~'],
    ['128 characters', 'x'.repeat(128)],
  ])('that is %s is taken, echoed and shown in errors', async (_, id) => {
    const { status, headers, body } = await rawRequest(`${relay.url}/agents/me`, { headers: { 'x-request-id': id } });
    expect([status, headers['x-request-id']]).toEqual([401, id]);
    expect(JSON.parse(body)).toMatchObject({ request_id: id });
  });

  it.each([
    ['absent', undefined],
    ['empty', ''],
    ['129 characters long', 'x'.repeat(129)],
    ['with a space inside', 'a b'],
    ['with a tab inside', 'a\tb'],
    ['not ASCII', 'caf\u00e9'],
  ])('that is %s is replaced by one of the relay', async (_, id) => {
    const headers: Record<string, string> = id === undefined ? {} : { 'x-request-id': id };
    const answer = await rawRequest(`${relay.url}/agents/me`, { headers });
    expect(answer.headers['x-request-id']).toMatch(MADE);
    expect(JSON.parse(answer.body)).toMatchObject({ request_id: answer.headers['x-request-id'] });
  });

  it('stands on every kind of answer', async () => {
    const bob = await relay.agent('bob@acme');
    const paths = ['/healthz', '/readyz', '/inbox/x', '/nowhere', '/agents/me', '/a2a', '/admin/agents'];
    for (const path of paths) {
      const { headers } = await rawRequest(`${relay.url}${path}`, { headers: { 'x-request-id': 'seen' } });
      expect([path, headers['x-request-id']]).toEqual([path, 'seen']);
    }
    expect((await bob.rpc('agents/list', {}, { 'x-request-id': 'seen' })).headers.get('x-request-id')).toBe('seen');
  });

  it('made by the relay is another one for each request', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await rawRequest(`${relay.url}/healthz`)).headers['x-request-id']),
    );
    expect(new Set(ids).size).toBe(20);
  });

  it('is stored with the event of the change, also when the relay made it', async () => {
    const { bob } = await relay.pair();
    const { headers } = await bob.rpc('message/send', {
      recipient: 'frank',
      message: { parts: [{ type: 'text', text: 'x' }] },
    });
    expect(await relay.database.query(`SELECT request_id FROM events WHERE type = 'handoff.created'`)).toEqual([
      { request_id: headers.get('x-request-id') },
    ]);
  });
});

import { useRelay } from '@agentrelay/testing';
import { rawRequest, type RawAnswer } from './raw-request';

const relay = useRelay();

function get(path: string): Promise<RawAnswer> {
  return rawRequest(`${relay.url}${path}`, { headers: { 'x-request-id': 'r' } });
}

describe('the inbox page', () => {
  it('is byte for byte the same for every id, and shows nothing of the thread', async () => {
    const { bob } = await relay.pair();
    const { task_id: id } = await bob.send('frank');
    const stable = ({ status, body, headers: { date: _, ...headers } }: RawAnswer) => ({ status, body, headers });
    const known = stable(await get(`/inbox/${id}`));
    for (const other of ['0198f7c0-0000-7000-8000-000000000000', 'x', '%3Cscript%3E', '%00']) {
      expect(stable(await get(`/inbox/${other}`))).toEqual(known);
    }
    expect(known.status).toBe(200);
    expect(known.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(known.body).toContain('agentrelay show &lt;id&gt;');
    expect(known.body).not.toContain(id);
  });

  it('is where a handoff links to', async () => {
    const { bob } = await relay.pair();
    const { inbox_url } = await bob.send('frank');
    expect((await fetch(inbox_url)).status).toBe(200);
  });
});

describe('security headers', () => {
  it.each(['/inbox/x', '/healthz', '/nowhere', '/agents/me'])('stand on %s', async (path) => {
    const { headers } = await get(path);
    expect(headers['content-security-policy']).toContain("default-src 'self'");
    expect(headers['content-security-policy']).toContain("script-src 'self'");
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'referrer-policy': 'no-referrer',
      'strict-transport-security': expect.stringContaining('max-age=') as string,
    });
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('probes', () => {
  it.each(['/healthz', '/readyz', '/startupz'])('%s is open to all and ok', async (path) => {
    const { status, body } = await get(path);
    expect([status, JSON.parse(body)]).toEqual([200, { status: 'ok' }]);
  });
});

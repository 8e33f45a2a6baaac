import {
  type ChildProgram,
  eventually,
  freePort,
  restCall,
  TEST_ADMIN_TOKEN,
  testSettings,
  useRelay,
} from '@agentrelay/testing';
import { startRelayProcess } from '../process/relay-process';
import { compileExample } from './example';

const CI_TOKEN = 'the-token-of-the-build-server';
const PROPOSAL = {
  intent: 'propose_action',
  proposed_action: { description: 'Raise the limit', target_files: ['limits.ts'], rationale: 'It is too low.' },
};

const relay = useRelay();
const example = compileExample();
let extended: ChildProgram;
let url: string;

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const settings = { ...testSettings(relay.database.url), PORT: String(port), RELAY_EXTENSIONS: example.entry };
  extended = await startRelayProcess({ ...settings, CHANGE_FREEZE_CI_TOKEN: CI_TOKEN }, url);
});
afterAll(async () => {
  extended.kill('SIGTERM');
  expect(await extended.exit()).toBe(0);
  example.remove();
});

async function freeze(): Promise<void> {
  const answer = await restCall(url, TEST_ADMIN_TOKEN, 'PUT', '/freeze', { reason: 'release week', minutes: 60 });
  expect(answer.status).toBe(204);
}

describe('the example extension, compiled outside the checkout and loaded by a built relay', () => {
  it('adds a method to the native API', async () => {
    const bob = (await relay.agent()).at(url);
    expect(await bob.call('freeze/status')).toEqual({ frozen: false });
    await freeze();
    expect(await bob.call('freeze/status')).toMatchObject({ frozen: true, reason: 'release week' });
    expect(await bob.refusal('freeze/status', { when: 'now' })).toMatchObject({ symbol: 'invalid_params' });
  });

  it('vetoes a send with a symbol, and lets pass what its policy allows', async () => {
    const { bob, frank } = await relay.pair();
    await freeze();
    const refusal = await bob.at(url).refusal('message/send', {
      recipient: frank.handle,
      message: { parts: [{ type: 'text', text: 'Please.' }] },
      ...PROPOSAL,
    });
    expect(refusal).toMatchObject({ symbol: 'forbidden', status: 403, details: { policy: 'change-freeze' } });
    expect(refusal.message).toContain('release week');
    await bob.at(url).send(frank.handle);
    expect((await frank.call<{ items: unknown[] }>('tasks/list')).items).toHaveLength(1);
  });

  it('answers the repetition of a stored send as before, though a policy would refuse it by now', async () => {
    const { bob, frank } = await relay.pair();
    const params = { ...PROPOSAL, metadata: { client_idempotency_key: 'k1' } };
    const { task_id } = await bob.at(url).send(frank.handle, params);
    await freeze();
    expect(await bob.at(url).send(frank.handle, params)).toMatchObject({ task_id, replayed: true });
  });

  it('adds REST routes, with the access that they ask for', async () => {
    const bob = (await relay.agent()).at(url);
    const anonymous = await restCall<{ code: string }>(url, undefined, 'GET', '/freeze/tally');
    expect(anonymous).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect((await bob.rest('PUT', '/freeze', { reason: 'x', minutes: 1 })).status).toBe(403);
    expect(await restCall(url, TEST_ADMIN_TOKEN, 'PUT', '/freeze', { reason: 'x', minutes: 0 })).toMatchObject({
      status: 400,
      body: { code: 'invalid_params' },
    });
  });

  it('subscribes to events, each counted once', async () => {
    const { bob, frank } = await relay.pair();
    await relay.database.query('DELETE FROM change_freeze_tally');
    for (let i = 0; i < 3; i++) await bob.at(url).send(frank.handle);
    await bob.at(url).send(frank.handle, PROPOSAL);
    const tally = await eventually('all are counted', async () => {
      const { body } = await bob.at(url).rest<Record<string, number>>('GET', '/freeze/tally');
      return body['inform'] === 3 && body['propose_action'] === 1 && body;
    });
    expect(tally).toEqual({ inform: 3, propose_action: 1 });
  });

  it('lets somebody in by another credential than a key', async () => {
    const { frank } = await relay.pair();
    await relay.agent('ci@acme');
    const call = (token: string) =>
      fetch(`${url}/agents/me`, { headers: { 'x-ci-token': token } }).then(async (response) => ({
        status: response.status,
        body: (await response.json()) as Record<string, unknown>,
      }));
    expect(await call(CI_TOKEN)).toMatchObject({ status: 200, body: { handle: 'ci@acme', principal: 'agent' } });
    expect(await call('wrong')).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    const rotation = await fetch(`${url}/agents/me/keys/rotate`, {
      method: 'POST',
      headers: { 'x-ci-token': CI_TOKEN },
    });
    expect(rotation.status).toBe(403);
    const sent = await fetch(`${url}/a2a`, {
      method: 'POST',
      headers: { 'x-ci-token': CI_TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'message/send',
        params: { recipient: frank.handle, message: { parts: [{ type: 'text', text: 'The build is red.' }] } },
      }),
    });
    expect(sent.status).toBe(200);
    const [item] = (await frank.call<{ items: { sender: { handle: string } }[] }>('tasks/list')).items;
    expect(item?.sender.handle).toBe('ci@acme');
  });

  it('does not let an external identity in that was disabled', async () => {
    await relay.agent('ci@acme');
    await relay.admin('DELETE', '/admin/agents/ci@acme');
    const answer = await fetch(`${url}/agents/me`, { headers: { 'x-ci-token': CI_TOKEN } });
    expect(answer.status).toBe(401);
  });

  it('makes a replica unready while its health indicator is not met, by name only', async () => {
    await relay.database.query('ALTER TABLE change_freeze RENAME TO change_freeze_away');
    // A good answer holds for half a second.
    await eventually('the replica is unready', async () => (await fetch(`${url}/readyz`)).status === 503);
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'unavailable', reason: 'change-freeze' });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await relay.database.query('ALTER TABLE change_freeze_away RENAME TO change_freeze');
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });
});

import { RelayError } from '@agentrelay/protocol';
import { testSettings, useRelay } from '@agentrelay/testing';
import { Module, type Type } from '@nestjs/common';
import { bootRelay } from '../../apps/relay/src/boot';
import {
  AuthenticationStrategy,
  type CredentialVerifier,
  type HandoffProposal,
  HandoffPolicy,
  type HandoffReview,
  type HealthCheck,
  HealthIndicator,
  type PresentedCredentials,
  type ExternalIdentity,
} from '../../apps/relay/src/extension';

const relay = useRelay();
const proposals: HandoffProposal[] = [];
let reviewed: () => Promise<void>;

@HandoffPolicy('team')
class TeamPolicy implements HandoffReview {
  review(proposal: HandoffProposal): Promise<void> {
    proposals.push(proposal);
    return reviewed();
  }
}

let shown: PresentedCredentials[] = [];
let verified: () => Promise<ExternalIdentity | undefined>;

@AuthenticationStrategy('badge')
class Badge implements CredentialVerifier {
  verify(presented: PresentedCredentials): Promise<ExternalIdentity | undefined> {
    shown.push(presented);
    return verified();
  }
}

@HealthIndicator('never-answers')
class Silent implements HealthCheck {
  check(): Promise<void> {
    return never();
  }
}

const never = <Result>(): Promise<Result> => new Promise(() => undefined);

function extendedBy(provider: Type): () => string {
  @Module({ providers: [provider] })
  class Extension {}
  let running: Awaited<ReturnType<typeof bootRelay>>;
  beforeAll(async () => (running = await bootRelay(testSettings(relay.database.url), [Extension])));
  afterAll(() => running.app.close());
  return () => running.url;
}

beforeEach(() => {
  proposals.length = 0;
  shown = [];
  reviewed = () => Promise.resolve();
  verified = () => Promise.resolve(undefined);
});

describe('a policy', () => {
  const url = extendedBy(TeamPolicy);

  it('is asked about each send, accept and complete with what the caller wants, and about nothing else', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id } = await bob.at(url()).send('frank');
    await frank.at(url()).accept(task_id, { session_id: 's1' });
    await bob.at(url()).append(task_id, 'More.');
    await frank.at(url()).complete(task_id);
    expect(proposals.map(({ action, by }) => [action, by.handle])).toEqual([
      ['send', bob.handle],
      ['accept', frank.handle],
      ['complete', frank.handle],
    ]);
    expect(proposals[0]).toMatchObject({ args: { recipient: 'frank@acme', intent: 'inform' } });
    expect(proposals[1]).toMatchObject({ args: { handoffId: task_id, sessionId: 's1' } });
    expect(proposals[2]).toMatchObject({ args: { handoffId: task_id, resultSummary: 'Done.' } });
  });

  it.each(['accept', 'complete'] as const)('that vetoes %s leaves the handoff as it was', async (action) => {
    const { bob, frank } = await relay.pair();
    const { task_id } = await bob.at(url()).send(frank.handle);
    if (action === 'complete') await frank.accept(task_id);
    reviewed = () => Promise.reject(new RelayError('human_required', 'A person has to look at this first.'));
    const params = { task_id, transition: action, result_summary: action === 'complete' ? 'Done.' : undefined };
    expect(await frank.at(url()).refusal('tasks/update', params)).toMatchObject({ symbol: 'human_required' });
    expect((await frank.get(task_id)).status).toEqual({ state: action === 'complete' ? 'accepted' : 'pending' });
  });

  it('that fails is answered as internal without its words; one that is silent as unavailable; nothing is stored', async () => {
    const { bob, frank } = await relay.pair();
    const send = { recipient: frank.handle, message: { parts: [{ type: 'text', text: 'x' }] } };
    reviewed = () => Promise.reject(new Error('password=hunter2'));
    const failed = await bob.at(url()).refusal('message/send', send);
    expect(failed.symbol).toBe('internal');
    expect(JSON.stringify(failed)).not.toContain('hunter2');
    reviewed = never;
    expect(await bob.at(url()).refusal('message/send', send)).toMatchObject({
      symbol: 'unavailable',
      details: { policy: 'team' },
    });
    expect(await relay.database.query('SELECT FROM handoffs')).toHaveLength(0);
  });
});

describe('an authentication strategy', () => {
  const url = extendedBy(Badge);

  it('never sees an API key of the relay, well-formed or not', async () => {
    const bob = (await relay.agent()).at(url());
    await bob.call('tasks/list');
    expect(await bob.withKey('ar_live_mistyped').refusal('tasks/list')).toMatchObject({ symbol: 'unauthenticated' });
    expect(shown).toEqual([]);
    expect(await bob.withKey('a-badge').refusal('tasks/list')).toMatchObject({ symbol: 'unauthenticated' });
    expect(shown.map(({ headers }) => headers.authorization)).toEqual(['Bearer a-badge']);
  });

  it('that is silent is answered as unavailable, and one that vouches for nobody here as unauthenticated', async () => {
    const bob = (await relay.agent()).at(url()).withKey('a-badge');
    verified = never;
    expect(await bob.refusal('tasks/list')).toMatchObject({ symbol: 'unavailable', details: { strategy: 'badge' } });
    verified = () => Promise.resolve({ handle: 'ghost@acme', principal: 'agent', credentialId: '1' });
    expect(await bob.refusal('tasks/list')).toMatchObject({ symbol: 'unauthenticated' });
  });

  it('ends the streams that its credential opened when that expires', async () => {
    const agent = await relay.agent();
    const expiresAt = new Date(Date.now() + 1_000);
    verified = () => Promise.resolve({ handle: agent.handle, principal: 'agent', credentialId: '1', expiresAt });
    const stream = await fetch(`${url()}/agents/me/events/stream`, { headers: { authorization: 'Bearer a-badge' } });
    expect(stream.status).toBe(200);
    await stream.text();
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime());
  });
});

describe('a health indicator', () => {
  const url = extendedBy(Silent);

  it('that does not answer makes the replica unready', async () => {
    const answer = await fetch(`${url()}/readyz`);
    expect([answer.status, await answer.json()]).toEqual([503, { status: 'unavailable', reason: 'never-answers' }]);
  });
});

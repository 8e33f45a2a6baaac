import { connect } from 'node:net';
import { eventually, testSettings, useRelay } from '@agentrelay/testing';
import { Logger, Module } from '@nestjs/common';
import { bootRelay } from '../../apps/relay/src/boot';
import { EventSubscriber, type EventSubscription } from '../../apps/relay/src/events';
import { HandoffPolicy, type HandoffReview } from '../../apps/relay/src/handoffs';

/** Fails as a call of somebody else's network does. */
function refusedConnection(): Promise<never> {
  return new Promise((_, reject) => {
    connect(1, '127.0.0.1').on('error', reject);
  });
}

@HandoffPolicy('calls-out')
class CallsOut implements HandoffReview {
  review(): Promise<void> {
    return refusedConnection();
  }
}

let handled = 0;
@EventSubscriber('calls-out')
class Pushes implements EventSubscription {
  handle(): Promise<void> {
    handled++;
    return refusedConnection();
  }
}

@Module({ providers: [CallsOut] })
class PolicyModule {}
@Module({ providers: [Pushes] })
class SubscriberModule {}

const relay = useRelay();

describe('an extension whose own network call fails', () => {
  it('as a policy is answered with internal, not as if the database were away', async () => {
    const { bob, frank } = await relay.pair();
    const { url, app } = await bootRelay(testSettings(relay.database.url), [PolicyModule]);
    const refusal = await bob.at(url).refusal('message/send', {
      recipient: frank.handle,
      message: { role: 'user', parts: [{ type: 'text', text: 'x' }] },
    });
    expect(refusal.symbol).toBe('internal');
    await app.close();
  });

  it('as a subscriber is logged with its error', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error');
    const { app } = await bootRelay(testSettings(relay.database.url), [SubscriberModule]);
    await relay.agent();
    await eventually('it was called', () => handled > 0);
    await eventually('it was logged', () => logged.mock.calls.length > 0);
    expect(logged.mock.calls[0]).toEqual([
      { err: expect.objectContaining({ code: 'ECONNREFUSED' }) as unknown, subscriber: 'calls-out' },
      'A subscriber failed; it tries again.',
    ]);
    logged.mockRestore();
    await app.close();
    await relay.database.query('DELETE FROM event_subscribers');
  });
});

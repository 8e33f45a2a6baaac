import { eventually, testSettings, useRelay } from '@agentrelay/testing';
import { Module } from '@nestjs/common';
import { bootRelay } from '../../apps/relay/src/boot';
import type { Transaction } from '../../apps/relay/src/database';
import { EventSubscriber, type EventSubscription, type EventView } from '../../apps/relay/src/events';

const seen: string[] = [];
let failures = 0;

@EventSubscriber('test-recorder')
class Recorder implements EventSubscription {
  handle(events: readonly EventView[], _transaction: Transaction): Promise<void> {
    if (failures > 0) {
      failures--;
      return Promise.reject(new Error('The subscriber fails on purpose.'));
    }
    seen.push(...events.filter(({ handoffId }) => handoffId !== null).map(({ handoffId }) => handoffId ?? ''));
    return Promise.resolve();
  }
}

@Module({ providers: [Recorder] })
class RecorderModule {}

const relay = useRelay();

beforeEach(async () => {
  seen.length = 0;
  failures = 0;
  await relay.database.query('DELETE FROM event_subscribers');
});

function subscribingReplica() {
  return bootRelay(testSettings(relay.database.url), [RecorderModule]);
}

describe('an event subscriber', () => {
  it('gets every event once, in order, whichever of two replicas works for it', async () => {
    const replicas = [await subscribingReplica(), await subscribingReplica()];
    const bob = await relay.agent('bob@acme');
    await relay.agent('frank@acme');
    const sent: string[] = [];
    for (let i = 0; i < 30; i++) sent.push((await bob.at(replicas[i % 2]!.url).send('frank@acme')).task_id);
    await eventually('all were seen', () => seen.length >= 30);
    expect(seen).toEqual(sent);
    await Promise.all(replicas.map(({ app }) => app.close()));
  });

  it('gets the events again that it failed on, and goes on from there after a restart', async () => {
    let replica = await subscribingReplica();
    const bob = await relay.agent('bob@acme');
    await relay.agent('frank@acme');
    failures = 1;
    const first = (await bob.send('frank@acme')).task_id;
    await eventually('it was handed over again', () => seen.length === 1);
    await replica.app.close();
    const missed = (await bob.send('frank@acme')).task_id;
    replica = await subscribingReplica();
    await eventually('the missed one came', () => seen.length === 2);
    expect(seen).toEqual([first, missed]);
    await replica.app.close();
  });
});

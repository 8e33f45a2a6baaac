import { eventually, testSettings, useRelay } from '@agentrelay/testing';
import { setTimeout as pause } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { bootRelay } from '../../apps/relay/src/boot';
import type { Transaction } from '../../apps/relay/src/database';
import { StatementCounter } from '../bench/statement-counter';
import { EventSubscriber, type EventSubscription, type EventView } from '../../apps/relay/src/events';

const seen: string[] = [];
let failures = 0;
let working = false;
let slow = Promise.resolve();

@EventSubscriber('test-recorder')
class Recorder implements EventSubscription {
  async handle(events: readonly EventView[], _transaction: Transaction): Promise<void> {
    if (failures > 0) {
      failures--;
      throw new Error('The subscriber fails on purpose.');
    }
    working = true;
    await slow;
    seen.push(...events.filter(({ handoffId }) => handoffId !== null).map(({ handoffId }) => handoffId ?? ''));
  }
}

@Module({ providers: [Recorder] })
class RecorderModule {}

const relay = useRelay();

beforeEach(async () => {
  seen.length = 0;
  failures = 0;
  working = false;
  slow = Promise.resolve();
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

  it('costs next to nothing while nothing happens', async () => {
    const replicas = [await subscribingReplica(), await subscribingReplica()];
    const { bob, frank } = await relay.pair();
    await bob.at(replicas[0]!.url).send(frank.handle);
    await eventually('it was seen', () => seen.length === 1);
    const counter = await StatementCounter.on(relay.database.url);
    const counted = await counter.during(() => pause(2_000));
    // Each replica looks twice a second, at the place of each subscriber and for those who wait.
    expect(counted.reduce((sum, { calls }) => sum + calls, 0)).toBeLessThan(80);
    await Promise.all(replicas.map(({ app }) => app.close()));
  });

  it('that works slowly keeps no reader waiting', async () => {
    const replica = await subscribingReplica();
    const { bob, frank } = await relay.pair();
    let finish: () => void = () => undefined;
    slow = new Promise((resolve) => (finish = resolve));
    await bob.send(frank.handle);
    await eventually('it works', () => working);
    const { task_id } = await bob.send(frank.handle);
    const { events } = await frank.events(2);
    expect(events.map((event) => event.task_id)).toContain(task_id);
    finish();
    await eventually('both were seen', () => seen.length === 2);
    await replica.app.close();
  });
});

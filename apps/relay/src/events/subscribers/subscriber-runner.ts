import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { isDatabaseAway, SchemaVersion, UnitOfWork } from '../../database';
import { discoverProviders } from '../../extensions';
import { EventFeed } from '../event-feed';
import { EVENT_SUBSCRIBER, type EventSubscription } from './event-subscriber.decorator';
import { SubscriberCheckpointsRepository } from './subscriber-checkpoints.repository';

const BATCH = 100;
const RETRY_MS = 1_000;
const UNDECLARED =
  'No code of this relay declares these event subscribers: events are kept for them, and nobody takes them. Remove those that are gone for good (docs/operate.md).';

/** What was done for the events is rolled back. */
class PlaceMoved extends Error {
  constructor() {
    super('The place of a subscriber was moved while it worked; it takes the events again from there.');
  }
}

/**
 * Hands the log to every subscriber, each at its own pace: one replica at a time works for a subscriber, and its place moves
 * in the transaction of its work.
 */
@Injectable()
export class SubscriberRunner implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(SubscriberRunner.name);
  private readonly subscribers = new Map<string, EventSubscription>();
  private readonly busy = new Map<string, Promise<void>>();
  private readonly wanted = new Set<string>();
  private readonly resting = new Set<string>();
  private stopped = false;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly feed: EventFeed,
    private readonly unitOfWork: UnitOfWork,
    private readonly schema: SchemaVersion,
    private readonly places: SubscriberCheckpointsRepository,
  ) {}

  /** @throws Error when two classes register the same name */
  async onApplicationBootstrap(): Promise<void> {
    const found = discoverProviders<{ name: string }, EventSubscription>(
      this.discovery,
      EVENT_SUBSCRIBER,
      'event subscriber',
    );
    for (const { name, instance } of found) this.subscribers.set(name, instance);
    await this.schema.whenCurrent(() => this.begin());
  }

  private async begin(): Promise<void> {
    for (const name of this.subscribers.keys()) await this.places.open(name);
    const undeclared = await this.places.others(this.names);
    if (undeclared.length > 0) this.logger.warn({ subscribers: undeclared }, UNDECLARED);
    if (this.subscribers.size > 0) this.feed.onSign(() => this.wake());
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.busy.values());
  }

  /** Of the subscribers of this relay, by name. */
  get names(): string[] {
    return [...this.subscribers.keys()];
  }

  private wake(): void {
    for (const name of this.subscribers.keys()) this.want(name);
  }

  private want(name: string): void {
    this.wanted.add(name);
    if (this.busy.has(name) || this.resting.has(name)) return;
    this.busy.set(
      name,
      this.work(name).finally(() => this.busy.delete(name)),
    );
  }

  private async work(name: string): Promise<void> {
    try {
      while (this.wanted.delete(name)) while (!this.stopped && (await this.batch(name)) === 'full');
    } catch (error) {
      if (error instanceof PlaceMoved) this.logger.warn({ subscriber: name }, error.message);
      else if (!isDatabaseAway(error))
        this.logger.error({ err: error, subscriber: name }, 'A subscriber failed; it tries again.');
      this.restAndRetry(name);
    }
  }

  /** Whatever is committed meanwhile, a subscriber that failed is left alone for a moment. */
  private restAndRetry(name: string): void {
    this.resting.add(name);
    setTimeout(() => {
      this.resting.delete(name);
      this.want(name);
    }, RETRY_MS).unref();
  }

  /** One step of a subscriber, and how much it found. */
  private batch(name: string): Promise<'nothing' | 'some' | 'full'> {
    return this.unitOfWork.run(
      async (transaction) => {
        const taken = await this.places.take(transaction, name, BATCH);
        const last = taken?.events.at(-1);
        if (taken === undefined || last === undefined) return 'nothing';
        const { place, events } = taken;
        await this.subscribers.get(name)?.handle(events, transaction);
        if (!(await this.places.move(transaction, name, place, last))) throw new PlaceMoved();
        return events.length === BATCH ? 'full' : 'some';
      },
      (found) => found !== 'nothing',
    );
  }
}

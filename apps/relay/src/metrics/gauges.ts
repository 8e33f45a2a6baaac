import { Injectable } from '@nestjs/common';
import { ConnectionPool, isDatabaseAway } from '../database';
import { EventFeed, SubscriberRunner } from '../events';
import { TimedOut, withTimeout } from '../extensions';
import { TransitionCounter } from '../handoffs';
import { Readiness } from '../health';
import { RateLimits } from '../rate-limiting';
import { MetricsRegistry } from './metrics-registry';
import { TeamStateRepository } from './team-state.repository';

/** A scrape has about ten seconds, and the rest of it must not wait for a database that says nothing. */
const TIME_LIMIT_MS = 3_000;

/** Reads, for a scrape, what is counted elsewhere. */
@Injectable()
export class Gauges {
  private refreshing: Promise<void> | undefined;

  constructor(
    private readonly metrics: MetricsRegistry,
    private readonly feed: EventFeed,
    private readonly pool: ConnectionPool,
    private readonly rates: RateLimits,
    private readonly transitions: TransitionCounter,
    private readonly readiness: Readiness,
    private readonly team: TeamStateRepository,
    private readonly subscribers: SubscriberRunner,
  ) {}

  /** While the database is away, what only it knows is missing; everything else is there in time. */
  refresh(): Promise<void> {
    this.refreshing ??= this.read().finally(() => (this.refreshing = undefined));
    return this.refreshing;
  }

  private async read(): Promise<void> {
    this.readOwn();
    await Promise.all([this.readReadiness(), this.readTeam()]);
  }

  private async readReadiness(): Promise<void> {
    const { ready } = this.metrics;
    ready.set(0);
    const report = await inTime(() => this.readiness.report());
    if (report?.status === 'ok') ready.set(1);
  }

  private readOwn(): void {
    const { metrics } = this;
    metrics.waiters.set(this.feed.waiters);
    const { total, idle, waiting } = this.pool.usage;
    metrics.connections.set({ state: 'total' }, total);
    metrics.connections.set({ state: 'idle' }, idle);
    metrics.waitingRequests.set(waiting);
    metrics.rateLimited.reset();
    for (const [limit, count] of Object.entries(this.rates.refusals)) metrics.rateLimited.inc({ limit }, count);
    metrics.transitions.reset();
    for (const [type, count] of this.transitions.all()) metrics.transitions.inc({ type }, count);
  }

  private async readTeam(): Promise<void> {
    const { handoffs, oldestUnaccepted, horizonLag, subscriberLag, undeclaredSubscriberLag, subscriberMissed } =
      this.metrics;
    const state = await inTime(() => this.team.read(this.subscribers.names));
    for (const gauge of [handoffs, subscriberLag, undeclaredSubscriberLag, subscriberMissed]) gauge.reset();
    for (const gauge of [oldestUnaccepted, horizonLag]) gauge.remove();
    if (state === undefined) return;
    handoffs.set({ state: 'pending' }, state.pending);
    handoffs.set({ state: 'accepted' }, state.accepted);
    oldestUnaccepted.set(state.oldest_pending);
    horizonLag.set(state.horizon_lag);
    for (const { name, declared, lag, missed } of state.subscribers) {
      (declared ? subscriberLag : undeclaredSubscriberLag).set({ subscriber: name }, lag);
      subscriberMissed.set({ subscriber: name }, missed);
    }
  }
}

/** What the database answers soon; undefined while it is away or slow. */
async function inTime<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await withTimeout(TIME_LIMIT_MS, ask);
  } catch (error) {
    if (error instanceof TimedOut || isDatabaseAway(error)) return undefined;
    throw error;
  }
}

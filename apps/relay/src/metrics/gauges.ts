import { Injectable } from '@nestjs/common';
import { ConnectionPool, isDatabaseAway } from '../database';
import { EventFeed } from '../events';
import { TransitionTally } from '../handoffs';
import { Readiness } from '../health';
import { RateLimits } from '../rates';
import { MetricsRegistry } from './metrics-registry';
import { TeamStateRepository } from './team-state.repository';

/** Reads, for a scrape, what is counted elsewhere. */
@Injectable()
export class Gauges {
  constructor(
    private readonly metrics: MetricsRegistry,
    private readonly feed: EventFeed,
    private readonly pool: ConnectionPool,
    private readonly rates: RateLimits,
    private readonly tally: TransitionTally,
    private readonly readiness: Readiness,
    private readonly team: TeamStateRepository,
  ) {}

  /** While the database is away, what only it knows is missing; everything else is there. */
  async refresh(): Promise<void> {
    this.readOwn();
    this.metrics.ready.set((await this.readiness.report()).status === 'ok' ? 1 : 0);
    await this.readTeam();
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
    for (const [type, count] of this.tally.all()) metrics.transitions.inc({ type }, count);
  }

  private async readTeam(): Promise<void> {
    const { handoffs, oldestUnaccepted, horizonLag, subscriberLag } = this.metrics;
    for (const gauge of [handoffs, oldestUnaccepted, horizonLag, subscriberLag]) gauge.reset();
    try {
      const state = await this.team.read();
      handoffs.set({ state: 'pending' }, state.pending);
      handoffs.set({ state: 'accepted' }, state.accepted);
      oldestUnaccepted.set(state.oldest_pending);
      horizonLag.set(state.horizon_lag);
      for (const { name, lag } of state.subscribers) subscriberLag.set({ subscriber: name }, lag);
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
    }
  }
}

import { LIMITS, RelayError } from '@agentrelay/protocol';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DatabaseNotifications, isDatabaseAway, UnitOfWork } from '../database';
import { type Caller, subjectOf } from '../identity';
import type { EventPosition } from './event-cursor';
import { EventReaderRepository } from './event-reader.repository';

const CHANNEL = 'agentrelay_events';
/** At most one NOTIFY per replica in this time, however much is written. */
const COALESCE_MS = 20;
/** How often a replica with waiters looks by itself: what bounds latency, and revocation, without LISTEN. */
const POLL_MS = 500;
/** How soon to look again for an event whose transaction had not become readable. */
const SETTLE_MS = 25;
const BATCH = 500;

/** A place in line of somebody who waits for events. */
export interface Waiter {
  /** Resolves with true at the next sign of something new and at shutdown, with false after `ms`. A sign may turn out to be none. */
  next(ms: number): Promise<boolean>;
  /** As a sign does. */
  wake(): void;
  release(): void;
}

/**
 * Wakes whoever waits for events. One reader per replica looks at the log and wakes only the agents concerned, so an idle
 * waiter costs neither a query nor a connection.
 */
@Injectable()
export class EventFeed implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(EventFeed.name);
  private readonly waiting = new Map<string, Set<() => void>>();
  private readonly listeners: (() => void)[] = [];
  /** Events that nobody can read yet, but whose agents know already that there is something. */
  private wokenEarly: ReadonlySet<string> = new Set();
  private readonly perAgent = new Map<string, number>();
  private position: Promise<EventPosition> | undefined;
  private signalled: NodeJS.Timeout | undefined;
  private poll: NodeJS.Timeout | undefined;
  private settling: NodeJS.Timeout | undefined;
  private settleMs = SETTLE_MS;
  private looking = false;
  private lookWanted = false;
  private ended = false;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly notifications: DatabaseNotifications,
    private readonly reader: EventReaderRepository,
  ) {}

  /** Whether this replica is shutting down: waits end, streams close. */
  get closing(): boolean {
    return this.ended;
  }

  /** Streams and long polls that wait on this replica. */
  get waiters(): number {
    let count = 0;
    for (const held of this.perAgent.values()) count += held;
    return count;
  }

  onApplicationBootstrap(): void {
    this.unitOfWork.onCommit(() => this.signal());
    void this.notifications.listen(CHANNEL, () => void this.look());
    this.poll = setInterval(() => void this.look(), POLL_MS).unref();
  }

  beforeApplicationShutdown(): void {
    this.ended = true;
    clearInterval(this.poll);
    clearTimeout(this.signalled);
    for (const wakes of this.waiting.values()) for (const wake of wakes) wake();
  }

  /** Calls `listener` at every sign that there may be something new, on this replica or another, and now and then without one. */
  onSign(listener: () => void): void {
    this.listeners.push(listener);
  }

  /**
   * Stands in line. Whoever does so before reading misses nothing that comes after.
   * @throws RelayError rate_limited when the agent already holds as many as it may
   */
  async join(caller: Caller): Promise<Waiter> {
    const { agentId } = caller;
    const subject = subjectOf(caller);
    const held = this.perAgent.get(subject) ?? 0;
    if (held >= LIMITS.waitersPerAgent) {
      const message = `This agent already holds ${LIMITS.waitersPerAgent} streams and waits; close one first.`;
      throw new RelayError('rate_limited', message, { limit: LIMITS.waitersPerAgent });
    }
    this.perAgent.set(subject, held + 1);
    let awake = (): void => undefined;
    let pending = false;
    const wake = (): void => {
      pending = true;
      awake();
    };
    const wakes = this.waiting.get(agentId) ?? new Set();
    // Nobody looked while nobody waited: start from here.
    if (this.waiting.size === 0) this.position = undefined;
    this.waiting.set(agentId, wakes.add(wake));
    const release = (): void => {
      this.decrement(subject);
      wakes.delete(wake);
      if (wakes.size === 0 && this.waiting.get(agentId) === wakes) this.waiting.delete(agentId);
      // A wait that nobody awaits any more, as of a reader who has hung up, must not keep its timer.
      awake();
    };
    try {
      await (this.position ??= this.reader.now());
    } catch (error) {
      this.position = undefined;
      release();
      throw error;
    }
    return {
      next: (ms) =>
        new Promise((resolve) => {
          const settle = (sign: boolean): void => {
            clearTimeout(timer);
            awake = () => undefined;
            pending = false;
            resolve(sign);
          };
          const timer = setTimeout(() => settle(false), ms);
          awake = () => settle(true);
          if (pending || this.ended) awake();
        }),
      wake,
      release,
    };
  }

  /** Something was committed here: look, and tell the other replicas to, soon and once. */
  private signal(): void {
    this.signalled ??= setTimeout(() => {
      this.signalled = undefined;
      void this.look();
      this.notifications.notify(CHANNEL).catch((error: unknown) => this.report(error));
    }, COALESCE_MS).unref();
  }

  private async look(): Promise<void> {
    this.lookWanted = true;
    if (this.looking) return;
    this.looking = true;
    try {
      while (this.takeWish()) await this.wakeConcerned();
    } catch (error) {
      this.report(error);
    } finally {
      this.looking = false;
    }
  }

  private takeWish(): boolean {
    const wanted = this.lookWanted;
    this.lookWanted = false;
    return wanted;
  }

  private async wakeConcerned(): Promise<void> {
    for (const listener of this.listeners) listener();
    if (this.waiting.size === 0 || this.position === undefined || this.ended) return;
    const place = await this.position;
    const { audience, early, next, more } = await this.reader.audienceSince(place, BATCH);
    this.position = Promise.resolve(next);
    this.wakeAll(audience === 'everybody' ? [...this.waiting.keys()] : audience);
    // A revocation holds at once, however long some older write keeps its event from being read.
    for (const event of early) if (!this.wokenEarly.has(event.id)) this.wakeAll(event.audience);
    this.wokenEarly = new Set(early.map(({ id }) => id));
    if (more) this.settle(next.id === place.id);
    else this.settleMs = SETTLE_MS;
  }

  /** Looks again soon, once; less and less often while an open write keeps everything where it is. */
  private settle(stands: boolean): void {
    this.settleMs = stands ? Math.min(this.settleMs * 2, POLL_MS) : SETTLE_MS;
    this.settling ??= setTimeout(() => {
      this.settling = undefined;
      void this.look();
    }, this.settleMs).unref();
  }

  private wakeAll(agentIds: readonly string[]): void {
    for (const agentId of agentIds) for (const wake of this.waiting.get(agentId) ?? []) wake();
  }

  private decrement(subject: string): void {
    const held = (this.perAgent.get(subject) ?? 1) - 1;
    if (held === 0) this.perAgent.delete(subject);
    else this.perAgent.set(subject, held);
  }

  private report(error: unknown): void {
    if (this.ended || isDatabaseAway(error)) return;
    this.logger.error({ err: error }, 'Looking for new events failed.');
  }
}

import type { WireEvent } from '@agentrelay/protocol';
import { RelayRefusal } from '@agentrelay/relay-client';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { RelaySession } from '../relay-session';

const WAIT_MS = 45_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Told what happened, in order; `missed` when something may have happened that is not among the events. */
export type EventListener = (events: readonly WireEvent[], missed: boolean) => void;

/**
 * Follows the caller's events by long poll, from the first time somebody asks on: most clients never look at resources,
 * and theirs should cost the relay nothing. A relay that is away is asked again after growing pauses.
 */
@Injectable()
export class EventWatcher implements OnModuleDestroy {
  private started: Promise<void> | undefined;
  private ended = false;

  constructor(private readonly session: RelaySession) {}

  /** Starts following, once. Nothing that happens after this returns is missed, be the relay there or not. */
  start(listener: EventListener): Promise<void> {
    this.started ??= new Promise((placed) => void this.follow(listener, placed));
    return this.started;
  }

  onModuleDestroy(): void {
    this.ended = true;
  }

  private async follow(listener: EventListener, placed: () => void): Promise<void> {
    let cursor: string | undefined;
    let failures = 0;
    while (!this.ended) {
      try {
        const known = cursor !== undefined;
        const { events, cursor: next } = await this.read(cursor);
        if (!known && failures > 0) listener([], true);
        else if (events.length > 0) listener(events, false);
        cursor = next;
        failures = 0;
        placed();
      } catch (error) {
        if (error instanceof RelayRefusal && error.symbol === 'cursor_expired') cursor = undefined;
        placed();
        await pause(failures++);
      }
    }
  }

  private async read(cursor: string | undefined): Promise<{ events: WireEvent[]; cursor: string }> {
    const { client } = await this.session.open();
    // The place in the log comes first: what follows it cannot be missed, however often the waiting fails.
    const waitMs = cursor === undefined ? 0 : WAIT_MS;
    return client.read('events/list', { cursor: cursor ?? 'now', wait_ms: waitMs, include_own: true }, waitMs);
  }
}

/** A pause that grows with each failure, jittered, and keeps no process alive. */
function pause(failures: number): Promise<void> {
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
  return new Promise((resolve) => setTimeout(resolve, longest * (0.5 + Math.random() / 2)).unref());
}

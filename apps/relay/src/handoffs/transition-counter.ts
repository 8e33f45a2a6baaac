import { Injectable } from '@nestjs/common';
import type { ThreadEventType } from '../events';

/** How often each kind of change was committed by this replica since its start. */
@Injectable()
export class TransitionCounter {
  private readonly counts = new Map<ThreadEventType, number>();

  count(type: ThreadEventType): void {
    this.counts.set(type, (this.counts.get(type) ?? 0) + 1);
  }

  all(): ReadonlyMap<ThreadEventType, number> {
    return this.counts;
  }
}

import { setTimeout } from 'node:timers/promises';

const EVERY_MS = 20;

/**
 * Asks until the answer is no. Returns how many milliseconds after `since` (of `performance.now()`) the last call that was
 * accepted had been made, 0 when none was: a figure that depends on what is cached for how long, not on the machine's speed.
 */
export async function acceptedUntil(since: number, isAccepted: () => Promise<boolean>): Promise<number> {
  let last = since;
  for (;;) {
    const asked = performance.now();
    if (!(await isAccepted())) return last - since;
    last = asked;
    await setTimeout(EVERY_MS);
  }
}

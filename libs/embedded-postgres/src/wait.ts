import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 25;

/** Waits one polling interval (25 ms). */
export async function pause(): Promise<void> {
  await delay(POLL_MS);
}

/** Polls `condition` until it holds (true) or `limitMs` milliseconds have passed (false). */
export async function waitUntil(condition: () => Promise<boolean>, limitMs: number): Promise<boolean> {
  const end = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > end) return false;
    await pause();
  }
  return true;
}

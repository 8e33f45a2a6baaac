import { spread } from '../bench/table';
import type { Scene } from './scene';

/** What the processor time of one request is measured by. */
export interface Series {
  name: string;
  /** Sends one request and waits for its answer. */
  send: () => Promise<unknown>;
}

/**
 * Milliseconds of the relay's processor time for one request of each series: at the median of several rounds, in which the series
 * take turns. `count` requests are taken together, because Linux counts in steps of 10 ms.
 */
export async function costsOf(
  { relay }: Scene,
  series: readonly Series[],
  count: number,
  rounds: number,
): Promise<Map<string, number>> {
  const costs = new Map<string, number[]>(series.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, send } of series) {
      const before = relay.cpuMs;
      for (let n = 0; n < count; n++) {
        await send();
        if (!relay.isRunning) throw new Error(`it ended on ${name}`);
      }
      costs.get(name)!.push((relay.cpuMs - before) / count);
    }
  }
  return new Map([...costs].map(([name, values]) => [name, spread(values).middle]));
}

import type { Cluster } from './cluster';
import type { BenchOptions } from './options';

/** What every part is given. */
export interface Context {
  options: BenchOptions;
  /** Absent when another relay is measured. */
  cluster: Cluster | undefined;
  hasPgbench: boolean;
  /** How often what is held against a floor is measured, the two in turn. */
  rounds: number;
  /** How long one load lasts. */
  ms: number;
  say: (text: string) => void;
}

export function clusterOf({ cluster }: Context): Cluster {
  if (cluster === undefined) throw new Error('This part needs a database of its own.');
  return cluster;
}

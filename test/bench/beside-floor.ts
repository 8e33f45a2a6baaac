import { existsSync, readFileSync } from 'node:fs';
import type { Context } from './context';
import { type Caller, type Load, rateOf } from './load';
import { type Budget, judged, percent, type Row, spread } from './table';

export interface Contest {
  work: string;
  caller: Caller;
  load: Pick<Load, 'clients' | 'next'>;
  /** The relay's process, where it is one of ours. */
  pid?: number | undefined;
  /** The floor's calls a second; absent where there is none. */
  floor: (() => Promise<number>) | undefined;
  budget?: Budget | undefined;
}

/** The relay's rate and the floor's, measured in turn; the ratio is the middle one of the rounds. */
export async function besideFloor(
  { ms, rounds, say }: Context,
  { work, caller, load, pid, floor, budget }: Contest,
): Promise<{ row: Row; rates: number[] }> {
  const rates: number[] = [];
  const floors: number[] = [];
  const busy: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = processorMs(pid);
    const rate = await rateOf(caller, { ...load, ms });
    const after = processorMs(pid);
    rates.push(rate);
    if (before !== undefined && after !== undefined) busy.push((after - before) / ((rate * ms * 1.1) / 1_000));
    if (floor !== undefined) floors.push(await floor());
    say(`${work}: ${rate.toFixed(0)}/s, floor ${floors.at(-1)?.toFixed(0) ?? 'none'}/s`);
  }
  const ratio = floors.length === 0 ? undefined : spread(rates.map((rate, i) => rate / (floors[i] ?? rate)));
  const cost = busy.length === 0 ? '' : `, ${spread(busy).middle.toFixed(1)} ms CPU each`;
  const told = {
    measured: `${spread(rates).middle.toFixed(0)}/s${cost}`,
    ...(ratio && { floor: `${spread(floors).middle.toFixed(0)}/s`, ratio: percent(ratio) }),
    value: ratio?.middle,
  };
  return { row: judged(work, told, budget), rates };
}

const TICK_MS = 10;

/** Processor time that a process has used; undefined where the system does not tell. */
function processorMs(pid: number | undefined): number | undefined {
  const file = `/proc/${pid}/stat`;
  if (pid === undefined || !existsSync(file)) return undefined;
  const fields = readFileSync(file, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

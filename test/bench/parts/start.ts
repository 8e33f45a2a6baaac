import { join } from 'node:path';
import { clusterOf, type Context } from '../context';
import { RELAY, relaySettings, ServerProgram } from '../relay-program';
import { atMost, judged, type Row, spread, times } from '../table';

const BARE = join(__dirname, '../bare-nest.js');

/** From spawning the relay to its first good answer, beside a bare application of the same frameworks. */
export async function start(context: Context): Promise<Row[]> {
  const database = await clusterOf(context).fresh('agentrelay_bench_start');
  const timed = async (script: string, settings: Record<string, string>): Promise<number> => {
    const program = await ServerProgram.start(script, settings);
    await program.stop();
    return program.startedInMs;
  };
  const relays: number[] = [];
  const bares: number[] = [];
  // The first of each fills the file cache.
  for (let n = 0; n <= (context.options.quick ? 1 : 9); n++) {
    const relay = await timed(RELAY, relaySettings(database));
    const bare = await timed(BARE, { DATABASE_URL: database });
    if (n > 0) {
      relays.push(relay);
      bares.push(bare);
    }
  }
  return [startRow('relay, spawn → ready', relays, bares)];
}

/** Medians of both, and of what each start took beside the one next to it. */
export function startRow(work: string, ours: readonly number[], bare: readonly number[]): Row {
  const ratio = spread(ours.map((ms, i) => ms / (bare[i] ?? ms)));
  const shown = (taken: readonly number[]): string => `${spread(taken).middle.toFixed(0)} ms`;
  return judged(
    work,
    { measured: shown(ours), floor: shown(bare), value: ratio.middle, ratio: times(ratio) },
    atMost(2, '2 ×'),
  );
}

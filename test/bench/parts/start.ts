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
  return [
    await besideBare(context, 'relay, spawn → ready', {
      ours: () => timed(RELAY, relaySettings(database)),
      bare: () => timed(BARE, { DATABASE_URL: database }),
    }),
  ];
}

const STARTS = 15;

/** Starts ours and a bare program in turn: medians of both, and of what each start took beside the one next to it. */
export async function besideBare(
  context: Context,
  work: string,
  starts: { ours: () => Promise<number>; bare: () => Promise<number> },
): Promise<Row> {
  const ours: number[] = [];
  const bare: number[] = [];
  // The first of each fills the file cache.
  for (let n = 0; n <= (context.options.quick ? 1 : STARTS); n++) {
    const [ourMs, bareMs] = [await starts.ours(), await starts.bare()];
    if (n > 0) {
      ours.push(ourMs);
      bare.push(bareMs);
    }
  }
  const ratio = spread(ours.map((ms, i) => ms / (bare[i] ?? ms)));
  const shown = (taken: readonly number[]): string => `${spread(taken).middle.toFixed(0)} ms`;
  return judged(
    work,
    { measured: shown(ours), floor: shown(bare), value: ratio.middle, ratio: times(ratio) },
    atMost(2, '2 ×'),
  );
}

import { Command } from 'commander';

export const PARTS = [
  'send',
  'list',
  'get',
  'statements',
  'accept',
  'latency',
  'waiters',
  'start',
  'mcp',
  'cli',
  'growth',
] as const;
export type Part = (typeof PARTS)[number];
/** What can be measured of a relay that only its address and keys are known of. */
const HTTP_PARTS: readonly Part[] = ['send', 'accept'];

export interface BenchOptions {
  parts: readonly Part[];
  /** Everything smaller and shorter: shows that the bench works, says little about the relay. */
  quick: boolean;
  json: string | undefined;
  /** Where the database is kept for the next run, so that seeding is done once. */
  directory: string | undefined;
  /** Another relay, running already, instead of one of our own. */
  other: { url: string; keys: string[] } | undefined;
  /** What a run with `json` wrote for another relay, to compare with. */
  against: string | undefined;
}

interface Given {
  quick?: true;
  json?: string;
  directory?: string;
  url?: string;
  keys?: string;
  against?: string;
}

/** Reads the command line; ends the process when it cannot be understood. */
export function readOptions(argv: string[]): BenchOptions {
  const command = new Command('bench')
    .argument('[parts...]', `what to measure: ${PARTS.join(', ')}; everything without`)
    .option('--quick', 'smaller and shorter, to see that it works')
    .option('--json <file>', 'write the table as JSON too')
    .option('--directory <folder>', 'keep the database there for the next run')
    .option('--url <relay>', `measure this relay instead: ${HTTP_PARTS.join(', ')}`)
    .option('--keys <key,key>', 'keys of two agents of that relay: one sends, the other receives')
    .option('--against <file>', 'compare with the JSON of another relay')
    .parse(argv, { from: 'user' });
  const given = command.opts<Given>();
  const wanted = command.args.length === 0 ? PARTS : command.args;
  const unknown = wanted.filter((part) => !(PARTS as readonly string[]).includes(part));
  if (unknown.length > 0) command.error(`There is no part ${unknown.join(', ')}; there are ${PARTS.join(', ')}.`);
  const keys = given.keys?.split(',') ?? [];
  if (given.url !== undefined && keys.length !== 2) command.error('--url needs --keys <sender,recipient>.');
  return {
    parts: PARTS.filter((part) => wanted.includes(part) && (given.url === undefined || HTTP_PARTS.includes(part))),
    quick: given.quick === true,
    json: given.json,
    directory: given.directory,
    other: given.url === undefined ? undefined : { url: given.url.replace(/\/+$/, ''), keys },
    against: given.against,
  };
}

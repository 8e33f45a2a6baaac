/** One line of the table. */
export interface Row {
  work: string;
  measured: string;
  /** What it is held against, measured in the same minute on the same machine. */
  floor: string;
  /** The number that is judged: a ratio wherever there is a floor. */
  value: number | undefined;
  /** `value` as shown, with its spread where it was taken more than once. */
  ratio: string;
  budget: string;
  verdict: 'met' | 'missed' | '–';
}

export interface Budget {
  limit: number;
  sense: 'at least' | 'at most' | 'exactly';
  shown: string;
}

export const atLeast = (limit: number, shown: string): Budget => ({ limit, sense: 'at least', shown: `≥ ${shown}` });
export const atMost = (limit: number, shown: string): Budget => ({ limit, sense: 'at most', shown: `≤ ${shown}` });
export const exactly = (limit: number, shown: string): Budget => ({ limit, sense: 'exactly', shown });

/** A line with its verdict; without a value it is told and not judged. */
export function judged(
  work: string,
  told: { measured: string; floor?: string; value: number | undefined; ratio?: string },
  budget?: Budget,
): Row {
  const { measured, floor = '–', value, ratio = '–' } = told;
  const verdict = value === undefined || budget === undefined ? '–' : keeps(value, budget) ? 'met' : 'missed';
  return { work, measured, floor, value, ratio, budget: budget?.shown ?? '–', verdict };
}

function keeps(value: number, { limit, sense }: Budget): boolean {
  if (sense === 'at least') return value >= limit;
  return sense === 'at most' ? value <= limit : value === limit;
}

/** The middle of several values, and the least and greatest of them. */
export interface Spread {
  middle: number;
  least: number;
  most: number;
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { middle: at(0.5), least: at(0), most: at(1) };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

export function percent({ middle, least, most }: Spread): string {
  const shown = (value: number): string => (value * 100).toFixed(0);
  return `${shown(middle)} % (${shown(least)}–${shown(most)})`;
}

export function times({ middle, least, most }: Spread): string {
  return `${middle.toFixed(2)} × (${least.toFixed(2)}–${most.toFixed(2)})`;
}

const COLUMNS = ['work', 'measured', 'floor', 'ratio', 'budget', 'verdict'] as const;

/** The table as Markdown with aligned columns, so that it reads in a terminal and can be copied into a document. */
export function printed(rows: readonly Row[], columns: readonly (typeof COLUMNS)[number][] = COLUMNS): string {
  const cells = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => line[i]?.length ?? 0)));
  const line = (texts: readonly string[]): string =>
    `| ${texts.map((text, i) => text.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  const [head = columns, ...body] = cells;
  return [line(head), rule, ...body.map(line)].join('\n');
}

import type { Impossibility } from '../model/impossibilities';
import type { Checked, Fault, Violation } from './checker';
import type { History } from './history';

export interface Recovery {
  faults: string[];
  /** From the end of the faults until both replicas called themselves ready. */
  ms: number;
}

/** What the run has shown. */
export interface Findings {
  seed: number;
  minutes: number;
  recoveries: Recovery[];
  misdeeds: string[];
  checked: Checked;
  /** Events that a subscriber was told of. */
  signals: number;
  /** What readers that follow by `as_of`, credentials and maintenance were put through. */
  maintenance: Record<string, number>;
  violations: Violation[];
  impossible: Impossibility[];
}

const FAULTS: Fault[] = [
  'lost',
  'doubled',
  'double winner',
  'no winner',
  'phantom',
  'gap',
  'skipped',
  'unseen',
  'outlived',
];

/** Everything in numbers, for programs. */
export function summary(findings: Findings, history: History) {
  const { violations, recoveries } = findings;
  const attempts = history.operations.flatMap((operation) =>
    operation.attempts.map((attempt) => {
      const outcome = attempt.outcome === 'unknown' ? attempt.reason : attempt.outcome;
      return { kind: operation.request.kind, outcome };
    }),
  );
  const kinds = [...new Set(attempts.map(({ kind }) => kind))].sort();
  return {
    ...findings,
    operations: history.operations.length,
    answers: Object.fromEntries(
      kinds.map((kind) => [kind, countsOf(attempts.filter((one) => one.kind === kind).map(({ outcome }) => outcome))]),
    ),
    faults: countsOf(recoveries.flatMap(({ faults }) => faults)),
    violation_counts: Object.fromEntries(
      FAULTS.map((fault) => [fault, violations.filter((one) => one.fault === fault).length]),
    ),
    hung: attempts.filter(({ outcome }) => outcome === 'timeout').length,
    internal: attempts.filter(({ outcome }) => outcome === 'internal').length,
    unfinished: history.operations.filter(({ attempts: made }) => made.at(-1)?.outcome === 'unknown').length,
    slowest_ms: Math.round(history.slowestMs),
    recovery_ms: spread(recoveries.map(({ ms }) => ms)),
  };
}

export type Summary = ReturnType<typeof summary>;

export function passed(summed: Summary): boolean {
  const { violations, impossible, misdeeds, hung, internal, unfinished } = summed;
  return violations.length + impossible.length + misdeeds.length + hung + internal + unfinished === 0;
}

/** The same for people. */
export function tell(summed: Summary): string {
  const { checked, violation_counts, recovery_ms: recovery } = summed;
  const table = (title: string, rows: Record<string, unknown>): string[] => [
    `${title}:`,
    ...Object.entries(rows).map(([name, value]) => `  ${name.padEnd(42)}${shown(value)}`),
  ];
  return [
    `Chaos for ${summed.minutes} minutes, seed ${summed.seed}: ${summed.operations} operations`,
    ...table('Attempts by kind and outcome', summed.answers),
    ...table('Faults', summed.faults),
    ...table('Recovery until both replicas are ready, ms', recovery),
    ...table('Checked', { ...checked, signals: summed.signals }),
    ...table('Maintenance and credentials', summed.maintenance),
    ...table('Violations', {
      ...violation_counts,
      'impossible rows': summed.impossible.length,
      'hung requests': summed.hung,
      'internal errors': summed.internal,
      'operations without an answer in the end': summed.unfinished,
      'misdeeds of replicas': summed.misdeeds.length,
    }),
    `Slowest answer: ${summed.slowest_ms} ms`,
    ...summed.misdeeds,
    ...summed.impossible.map(({ what, id }) => `impossible: ${what} in thread ${id}`),
    ...summed.violations.map(({ fault, what }) => `${fault}: ${what}`),
  ].join('\n');
}

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of [...names].sort()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function spread(values: readonly number[]): Record<string, number> {
  const sorted = values.map(Math.round).sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { median: at(0.5), p95: at(0.95), longest: at(1) };
}

function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, count]) => `${name} ${String(count)}`)
    .join(', ');
}

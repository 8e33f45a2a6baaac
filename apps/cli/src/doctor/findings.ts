import { visibleLine } from '@agentrelay/untrusted-text';
import type { Output } from '../output';

/** What one check found. A warning is worth knowing and makes nothing wrong. */
export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'failed';
  message: string;
  /** What to do about it. */
  next?: string;
  /** How long it took, where that says something. */
  took_ms?: number;
}

const MARKS = { ok: '✓', warning: '!', failed: '✗' } as const;
const COLOURS = { ok: 'green', warning: 'yellow', failed: 'red' } as const;

export function findingLines(out: Output, findings: readonly Finding[]): string[] {
  return findings.flatMap(({ check, state, message, next }) => [
    `${out.paint(COLOURS[state], MARKS[state])} ${check}: ${visibleLine(message)}`,
    ...(next === undefined ? [] : [`  ${visibleLine(next)}`]),
  ]);
}

export function wireFinding(finding: Finding): object {
  return { ...finding };
}

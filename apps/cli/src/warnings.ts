import { visibleLine } from '@agentrelay/untrusted-text';

const said = new Set<string>();

/** Says a warning on stderr, once in this process; undefined is none. */
export function warn(warning: string | undefined): void {
  if (warning === undefined || said.has(warning)) return;
  said.add(warning);
  process.stderr.write(`warning: ${visibleLine(warning)}\n`);
}

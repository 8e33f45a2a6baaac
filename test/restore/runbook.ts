import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = join(__dirname, '../../docs/operate.md');

/** The commands of a step of the runbook, as docs/operate.md shows them. */
export function commandsOf(step: string): string {
  const block = new RegExp(`^\`\`\`sh step=${step}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(readFileSync(PAGE, 'utf8'));
  if (block?.[1] === undefined) throw new Error(`docs/operate.md has no step ${step}.`);
  return block[1];
}

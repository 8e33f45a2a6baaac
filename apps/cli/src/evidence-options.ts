import type { Command } from 'commander';
import type { Evidence } from './git/evidence';
import { ListOption } from './list-option';

export type EvidenceOptions = Evidence;

const DIFF = 'attach the changes of a range like main..HEAD, or --diff=main; alone, what is not committed';

/** Whether a word behind the option can only be meant as its range: a text of the message may stand there as well. */
function isRange(word: string): boolean {
  return /^[\w./@{}^~-]+$/.test(word) && /\.\.|[~^]|^HEAD$|^[0-9a-f]{7,40}$/.test(word);
}

/** The options of commands whose message can carry something from the repository that they are run in. */
export function withEvidence(command: Command): Command {
  return command
    .addOption(new ListOption('--diff [range]', DIFF, isRange, 'HEAD'))
    .option('--file <path:lines>', 'attach a reference to a file, like src/a.ts:12-40; may be repeated', collect)
    .option('--test <command>', 'attach a command that tests it; may be repeated', collect);
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

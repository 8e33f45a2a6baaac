import type { Command } from 'commander';
import type { Output } from '../output';
import { bashCompletion, fishCompletion, zshCompletion } from '../completions';

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** Prints a script that completes commands and options. */
export function run(_out: Output, shell: keyof typeof SCRIPTS, _options: object, command: Command): void {
  process.stdout.write(SCRIPTS[shell](command.parent ?? command));
}

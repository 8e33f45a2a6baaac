import { CommanderError } from 'commander';
import { redacted } from './redact';

/** Says on stderr how a command was used wrongly. @throws CommanderError always */
export function wrongUsage(code: string, message: string): never {
  process.stderr.write(`error: ${redacted(message)}\n`);
  throw new CommanderError(1, code, message);
}

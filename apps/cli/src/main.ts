#!/usr/bin/env node
import { withListsSpread } from './list-option';
import { buildProgram } from './program';

/** Runs one command. Everything that a command needs is loaded when it runs: `--version` and `--help` answer at once. */
async function main(): Promise<void> {
  // Whoever reads our output may stop early, as `head` does.
  process.stdout.on('error', outputFailed);
  // Nobody reads what is told there.
  process.stderr.on('error', () => process.exit(process.exitCode ?? 1));
  process.on('uncaughtException', (error) => void report(error).finally(() => process.exit()));
  try {
    const program = buildProgram();
    await program.parseAsync(withListsSpread(program, process.argv.slice(2)), { from: 'user' });
  } catch (error) {
    await report(error);
  }
}

function outputFailed(error: NodeJS.ErrnoException): never {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`agentrelay: the result cannot be written: ${error.message}\n`);
  process.exit(1);
}

/** Errors are told in a line of ours: a stack holds source, and may hold what was in it. */
async function report(error: unknown): Promise<void> {
  const { reportError } = await import('./report-error.js');
  process.exitCode = reportError(error);
}

void main();

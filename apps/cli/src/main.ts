#!/usr/bin/env node
import { buildProgram } from './program';

/** Runs one command. Everything that a command needs is loaded when it runs: `--version` and `--help` answer at once. */
async function main(): Promise<void> {
  // Whoever reads our output may stop early, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  try {
    await buildProgram().parseAsync();
  } catch (error) {
    const { reportError } = await import('./report-error.js');
    process.exitCode = reportError(error);
  }
}

void main();

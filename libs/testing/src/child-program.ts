import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from './eventually';

/** A program of ours in a process of its own, with what it has printed. */
export class ChildProgram {
  private output = '';
  private readonly exited: Promise<number | null>;

  private constructor(private readonly process: ChildProcess) {
    process.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    process.stderr?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.exited = once(process, 'exit').then(([code]) => code as number | null);
  }

  /** Starts `node script` with exactly this environment besides PATH and HOME. */
  static start(script: string, environment: Record<string, string>, { cwd }: { cwd?: string } = {}): ChildProgram {
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, [script], {
      env: { PATH, HOME, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(cwd === undefined ? {} : { cwd }),
    });
    return new ChildProgram(child);
  }

  get printed(): string {
    return this.output;
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  /** Waits until what it printed matches, and returns the match. @throws Error when it exits before */
  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    return eventually(
      `the program prints ${pattern.source}`,
      () => {
        const match = pattern.exec(this.output);
        if (match === null && !this.isRunning)
          throw new Error(`It ended without printing ${pattern.source}:\n${this.output}`);
        return match ?? undefined;
      },
      30_000,
    );
  }

  kill(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  /** Its exit code, once it has ended; null when a signal killed it. */
  exit(): Promise<number | null> {
    return this.exited;
  }
}

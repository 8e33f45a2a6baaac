import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { BuiltImage } from './image-builder';

/** Takes the right to write away from a folder, as a read-only root does, or gives it back to its owner. */
export function setWritable(folder: string, writable: boolean): void {
  const { status } = spawnSync('chmod', ['-R', writable ? 'u+w' : 'a-w', folder], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`The rights of ${folder} cannot be changed.`);
}

/** A program of an image, running with the image's environment and, where this process may switch, as its user. */
export class Container {
  private output = '';
  private readonly exited: Promise<number | null>;

  private constructor(readonly process: ChildProcessWithoutNullStreams) {
    for (const stream of [process.stdout, process.stderr])
      stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.exited = once(process, 'exit').then(([code]) => code as number | null);
  }

  /** Starts `command`, by default the image's own. */
  static start(image: BuiltImage, environment: Record<string, string>, command = image.options.command): Container {
    const { options, root } = image;
    const [program = '', ...args] = command;
    const [uid, gid] = (options.user ?? '').split(':').map(Number);
    if (!uid) throw new Error(`The image runs as ${options.user ?? 'root'}; it must be a number other than 0.`);
    return new Container(
      spawn(program === 'node' ? process.execPath : program, args, {
        cwd: join(root, options.workingDirectory),
        env: { PATH: process.env['PATH'], HOME: '/', ...options.environment, ...environment },
        ...(process.getuid?.() === 0 && { uid, gid: gid ?? uid }),
      }),
    );
  }

  /** Runs `command` to its end. @throws Error with what it printed when it does not end with 0 */
  static async run(image: BuiltImage, environment: Record<string, string>, command: string[]): Promise<string> {
    const container = Container.start(image, environment, command);
    const code = await container.exit(60_000);
    if (code !== 0) throw new Error(`${command.join(' ')} ended with ${String(code)}:\n${container.printed}`);
    return container.printed;
  }

  get printed(): string {
    return this.output;
  }

  get isRunning(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  /** Its exit code. @throws Error when it is still running after `limitMs`; then it is killed */
  async exit(limitMs: number): Promise<number | null> {
    const timer = new AbortController();
    const limit = new Promise<never>((_, reject) => {
      const timeout = setTimeout(() => {
        this.kill();
        reject(new Error(`The program did not end within ${limitMs} ms:\n${this.output}`));
      }, limitMs);
      timer.signal.addEventListener('abort', () => clearTimeout(timeout));
    });
    return Promise.race([this.exited, limit]).finally(() => timer.abort());
  }

  kill(): void {
    if (this.isRunning) this.process.kill('SIGKILL');
  }
}

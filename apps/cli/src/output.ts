import { once } from 'node:events';
import { visibleJson } from '@agentrelay/untrusted-text';
import { colours, type Paint } from './colours';

/** What a command says on stdout: lines for people, or one JSON document. */
export class Output {
  readonly paint: Paint = colours(process.stdout.isTTY);

  constructor(readonly json: boolean) {}

  /** The result of the command, in both forms. Foreign text in `lines` must have been made visible. */
  result(value: unknown, lines: readonly string[]): void {
    process.stdout.write(`${this.json ? visibleJson(value) : lines.join('\n')}\n`);
  }

  /** What people are told before the result is there; nothing in JSON, which is one document. */
  progress(lines: readonly string[]): void {
    if (!this.json && lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
  }

  /** A piece of a result that is too large to be held whole; returns when the reader has room for more. */
  async write(piece: string): Promise<void> {
    if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
  }
}

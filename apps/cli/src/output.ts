import { visibleJson } from '@agentrelay/presentation';
import { colours, type Paint } from './colours';

/** What a command says on stdout: lines for people, or one JSON document. */
export class Output {
  readonly paint: Paint = colours(process.stdout.isTTY);

  constructor(readonly json: boolean) {}

  /** The result of the command, in both forms. Foreign text in `lines` must have been made visible. */
  result(value: unknown, lines: readonly string[]): void {
    process.stdout.write(`${this.json ? visibleJson(value) : lines.join('\n')}\n`);
  }
}

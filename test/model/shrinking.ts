import fc from 'fast-check';
import { type Command, described } from './commands';

/** One step of a history: a command, or several that are sent at once. */
export type Step = Command | Command[];

/** Histories as `longOnes` generates them, which shrink by leaving out steps, by order instead of haste, by simpler commands. */
export class ShrinkingHistories extends fc.Arbitrary<Step[]> {
  constructor(private readonly longOnes: fc.Arbitrary<Step[]>) {
    super();
  }

  generate(random: fc.Random, biasFactor: number | undefined): fc.Value<Step[]> {
    return new fc.Value(this.longOnes.generate(random, biasFactor).value_, undefined);
  }

  canShrinkWithoutContext(_value: unknown): _value is Step[] {
    return true;
  }

  shrink(history: Step[]): fc.Stream<fc.Value<Step[]>> {
    return fc.stream(smaller(history)).map((steps) => new fc.Value(steps, undefined));
  }
}

function* smaller(history: Step[]): IterableIterator<Step[]> {
  yield* shorter(history);
  for (const [i, step] of history.entries()) {
    const instead = (...steps: Step[]): Step[] => [...history.slice(0, i), ...steps, ...history.slice(i + 1)];
    if (Array.isArray(step)) {
      yield instead(...step);
      yield instead(...[...step].reverse());
      for (const [j, command] of step.entries()) {
        const others = step.filter((_, k) => k !== j);
        yield others.length > 1 ? instead(others) : instead(...others);
        for (const simpler of simplerThan(command)) yield instead(step.map((other, k) => (k === j ? simpler : other)));
      }
    } else {
      for (const simpler of simplerThan(step)) yield instead(simpler);
    }
  }
}

/** Without a half, a quarter, …, one of the steps; the end is left out first. */
function* shorter(history: Step[]): IterableIterator<Step[]> {
  for (let size = Math.ceil(history.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let end = history.length; end > 0; end -= size) {
      const [before, after] = [history.slice(0, Math.max(end - size, 0)), history.slice(end)];
      yield [...before, ...after];
      // What came after may have counted back over what is gone.
      if (size === 1 && after.length > 0) yield [...before, ...after.map(nearer)];
    }
  }
}

function nearer(step: Step): Step {
  if (Array.isArray(step)) return step.map((command) => nearer(command) as Command);
  const { on, back } = step as { on?: number; back?: number };
  const less = (places: number | undefined, name: string): object =>
    places === undefined ? {} : { [name]: Math.max(places - 1, 0) };
  return described({ ...step, ...less(on, 'on'), ...less(back, 'back') });
}

/** What each member is when nothing depends on it. */
const PLAIN: Record<string, unknown> = {
  key: undefined,
  expect: undefined,
  session: undefined,
  outcome: undefined,
  markRead: undefined,
  historyLength: undefined,
  after: undefined,
  counterpart: undefined,
  includeThread: false,
  byUpdate: false,
  peek: false,
  artifacts: 0,
  body: 'one',
  on: 0,
  back: 0,
};

function* simplerThan(command: Command): IterableIterator<Command> {
  for (const [name, value] of Object.entries(command)) {
    if (name in PLAIN && value !== PLAIN[name]) yield described({ ...command, [name]: PLAIN[name] });
  }
  if (command.do === 'send' && command.intent !== 'inform') yield described({ ...command, intent: 'inform' });
  if (command.do === 'list' && command.status.length > 0) yield described({ ...command, status: [] });
}

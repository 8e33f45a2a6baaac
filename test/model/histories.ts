import { HANDOFF_STATES, INTENTS, LIST_ROLES, OUTCOMES } from '@agentrelay/protocol';
import fc from 'fast-check';
import { type Command, described, type Part, UNKNOWN } from './commands';
import { ShrinkingHistories, type Step } from './shrinking';

const agent = fc.nat({ max: 3 });
const body = fc.constantFrom('one', 'two');
const artifacts = fc.nat({ max: 2 });
const maybe = <Value>(value: fc.Arbitrary<Value>, freq = 2): fc.Arbitrary<Value | undefined> =>
  fc.option(value, { nil: undefined, freq });
const key = maybe(fc.constantFrom('k1', 'k2', 'k3', 'k4'));
const expect = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom('right' as const, 'wrong' as const) },
);
const session = fc.constantFrom(undefined, 's1', 's2', '');

const as = (...mostly: Part[]): fc.Arbitrary<Part> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...mostly) },
    { weight: 1, arbitrary: fc.constantFrom<Part[]>('sender', 'recipient', 'stranger') },
  );
const recipient = as('recipient');
const sender = as('sender');
const either = as('sender', 'recipient');

/** Commands on handoffs that `on` picks. */
function commandOn(on: fc.Arbitrary<number>): fc.Arbitrary<Command> {
  const make = <Kind extends Command['do']>(
    weight: number,
    kind: Kind,
    members: { [Name in keyof Omit<Extract<Command, { do: Kind }>, 'do'>]-?: fc.Arbitrary<unknown> },
  ): fc.WeightedArbitrary<Command> => ({
    weight,
    arbitrary: fc.record({ do: fc.constant(kind), ...members }) as unknown as fc.Arbitrary<Command>,
  });
  return fc
    .oneof(
      make(6, 'append', { on, as: either, body, artifacts, key }),
      make(5, 'accept', { on, as: recipient, session, includeThread: fc.boolean(), key, expect }),
      make(5, 'get', {
        on,
        as: either,
        markRead: fc.constantFrom(undefined, true, false),
        historyLength: maybe(fc.nat({ max: 4 })),
        after: maybe(fc.nat({ max: 4 })),
      }),
      make(7, 'send', {
        by: agent,
        to: fc.oneof({ weight: 8, arbitrary: agent }, { weight: 1, arbitrary: fc.constant(4) }),
        intent: fc.constantFrom(...INTENTS),
        body,
        artifacts,
        key,
      }),
      make(5, 'complete', {
        on,
        as: recipient,
        body,
        artifacts,
        outcome: maybe(fc.constantFrom(...OUTCOMES)),
        key,
        expect,
      }),
      make(3, 'draft', { on, as: recipient, body, key }),
      make(6, 'repeat', {
        back: fc.nat({ max: 3 }),
        changed: fc.constantFrom('nothing', 'body', 'artifacts', 'handoff'),
      }),
      make(3, 'list', {
        by: agent,
        role: fc.constantFrom(...LIST_ROLES),
        status: fc.uniqueArray(fc.constantFrom(...HANDOFF_STATES), { maxLength: 2 }),
        intent: maybe(fc.constantFrom(...INTENTS)),
        counterpart: maybe(agent),
        limit: fc.integer({ min: 1, max: 6 }),
        peek: fc.boolean(),
      }),
      make(2, 'cancel', { on, as: sender, byUpdate: fc.boolean(), key, expect }),
      make(2, 'events', { by: agent, limit: fc.integer({ min: 1, max: 6 }) }),
      make(3, 'unblock', { by: agent, whom: agent }),
      make(2, 'block', { by: agent, whom: fc.nat({ max: 4 }) }),
    )
    .map(described);
}

const command = commandOn(
  fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 4) },
    { weight: 1, arbitrary: fc.constant(UNKNOWN) },
  ),
);
/** Calls that meet: on the newest handoff or the one before. */
const together = fc.array(commandOn(fc.nat({ max: 1 })), { minLength: 2, maxLength: 4 });

const sequential: fc.Arbitrary<Step[]> = fc.array(command, { minLength: 40, maxLength: 60 });
const racing = fc
  .tuple(
    sequential,
    fc.array(
      fc.oneof<fc.WeightedArbitrary<Step>[]>({ weight: 1, arbitrary: together }, { weight: 1, arbitrary: command }),
      { minLength: 6, maxLength: 14 },
    ),
  )
  .map(([before, after]): Step[] => [...before, ...after]);

/** A third of the histories have calls that are made at once after a sequential beginning. */
export const history: fc.Arbitrary<Step[]> = new ShrinkingHistories(
  fc.oneof({ weight: 2, arbitrary: sequential }, { weight: 1, arbitrary: racing }),
);

import { check, type Fault, type ReaderLog, type Stored } from './checker';
import { type KeyLog, outlived } from './credentials';
import { unseen } from './deltas';
import type { Attempt, Operation, Request } from './history';

const THREAD = { sender: 'bob', recipient: 'frank', movedAt: 1_000 };

/** A small run in which all went well: a send, a race that s1 won, an append that was repeated, a completion. */
function run() {
  const operations: Operation[] = [
    operation(0, { agent: 'bob', kind: 'send', body: 'b0' }, acknowledged({ task: 't1' })),
    operation(1, { agent: 'frank', kind: 'accept', task: 't1', session: 's1' }, acknowledged({ task: 't1' })),
    operation(2, { agent: 'frank', kind: 'accept', task: 't1', session: 's2' }, refused('state_changed')),
    operation(
      3,
      { agent: 'bob', kind: 'append', task: 't1', body: 'b3' },
      { outcome: 'unknown', reason: 'cut' },
      acknowledged({ task: 't1', message: 'm2', sequence: 2 }),
    ),
    operation(4, { agent: 'frank', kind: 'complete', task: 't1', body: 'b4' }, acknowledged({ task: 't1' })),
    operation(5, { agent: 'bob', kind: 'append', task: 't1', body: 'b5' }, refused('thread_terminal')),
  ];
  const stored: Stored = {
    handoffs: [{ ...THREAD, id: 't1', status: 'completed', session: 's1', messageCount: 3 }],
    messages: ['b0', 'b3', 'b4'].map((body, i) => ({ task: 't1', sequence: i + 1, id: `m${i + 1}`, body })),
    events: ['bob', 'frank', 'bob', 'frank'].map((actor, i) => ({
      id: `e${i}`,
      actor,
      sender: 'bob',
      recipient: 'frank',
      removedAt: null,
    })),
  };
  const readers: ReaderLog[] = [
    {
      name: 'frank by stream',
      agent: 'frank',
      includesOwn: true,
      expired: 0,
      deliveries: [
        { after: undefined, ids: ['e0', 'e1'] },
        { after: 'e0', ids: ['e1', 'e2', 'e3'] },
      ],
    },
    {
      name: 'frank by long poll',
      agent: 'frank',
      includesOwn: false,
      expired: 0,
      deliveries: [
        { after: undefined, ids: ['e0'] },
        { after: 'e0', ids: [] },
        { after: 'e0', ids: ['e2'] },
      ],
    },
  ];
  return { operations, stored, readers };
}

/** The stream's cursor expires after its first event; without one it is given the third and the fourth. */
function startAfresh([stream]: ReaderLog[]): void {
  stream!.deliveries = [
    { after: undefined, ids: ['e0'] },
    { after: undefined, ids: [], afreshAt: 4_000 },
    { after: undefined, ids: ['e2', 'e3'], afreshAt: 5_000 },
  ];
}

type Run = ReturnType<typeof run>;

function operation(id: number, request: Request, ...attempts: Attempt[]): Operation {
  return { id, request, attempts };
}

function acknowledged(answer: { task: string; message?: string; sequence?: number }): Attempt {
  return { outcome: 'acknowledged', answer };
}

function refused(symbol: string): Attempt {
  return { outcome: 'refused', symbol };
}

function faults(plant: (run: Run) => void): Fault[] {
  const planted = run();
  plant(planted);
  return check(planted.operations, planted.stored, planted.readers).violations.map(({ fault }) => fault);
}

describe('the checker of a chaos run', () => {
  it('finds nothing wrong with a run in which all went well, and says how much it looked at', () => {
    const { operations, stored, readers } = run();
    expect(check(operations, stored, readers)).toEqual({
      violations: [],
      checked: { acknowledgements: 4, bodies: 3, races: 1, threads: 1, deliveries: 7 },
    });
  });

  const PLANTED: [string, Fault, (run: Run) => void][] = [
    ['an acknowledged handoff that is gone', 'lost', ({ stored }) => void stored.handoffs.pop()],
    ['an acknowledged message that is gone', 'lost', ({ stored }) => void stored.messages.splice(1, 1)],
    ['an acknowledged message in another place', 'lost', ({ stored }) => void (stored.messages[1]!.id = 'm9')],
    ['an acceptance that was given to another', 'lost', ({ stored }) => void (stored.handoffs[0]!.session = 's2')],
    ['a completion that was undone', 'lost', ({ stored }) => void (stored.handoffs[0]!.status = 'accepted')],
    [
      'a message that is stored twice',
      'doubled',
      ({ stored }) => {
        stored.messages.push({ task: 't1', sequence: 4, id: 'm4', body: 'b3' });
        stored.handoffs[0]!.messageCount = 4;
      },
    ],
    [
      'a key that was answered with two handoffs',
      'doubled',
      ({ operations, stored }) => {
        operations[0]!.attempts.push(acknowledged({ task: 't2' }));
        stored.handoffs.push({ ...THREAD, id: 't2', status: 'pending', session: null, messageCount: 0 });
      },
    ],
    [
      'a race that two have won',
      'double winner',
      ({ operations }) => void (operations[2]!.attempts = [acknowledged({ task: 't1' })]),
    ],
    ['a race that nobody has won', 'no winner', ({ operations }) => void (operations[1]!.attempts = [refused('x')])],
    [
      'a refused message that is stored',
      'phantom',
      ({ stored }) => {
        stored.messages.push({ task: 't1', sequence: 4, id: 'm4', body: 'b5' });
        stored.handoffs[0]!.messageCount = 4;
      },
    ],
    ['a gap in a thread', 'gap', ({ stored }) => void (stored.messages[2]!.sequence = 4)],
    ['an event skipped within a stream', 'skipped', ({ readers }) => void readers[0]!.deliveries[1]!.ids.splice(1, 1)],
    [
      'an event skipped between two answers',
      'skipped',
      ({ readers }) => void (readers[0]!.deliveries[1]!.after = 'e1'),
    ],
    ['events out of order', 'skipped', ({ readers }) => void readers[0]!.deliveries[1]!.ids.reverse()],
    ['an event that comes twice', 'skipped', ({ readers }) => void readers[1]!.deliveries[2]!.ids.unshift('e0')],
    [
      'an event that was there when its reader started afresh',
      'skipped',
      ({ stored, readers }) => {
        stored.events[1]!.removedAt = 5_001;
        startAfresh(readers);
      },
    ],
    ['a last event that never comes', 'skipped', ({ readers }) => void readers[1]!.deliveries.pop()],
  ];

  it.each(PLANTED)('finds %s', (_what, fault, plant) => {
    expect(new Set(faults(plant))).toContain(fault);
  });

  it('names the operations that show it', () => {
    const { operations, stored, readers } = run();
    stored.messages.splice(1, 1);
    const [violation] = check(operations, stored, readers).violations;
    expect(violation).toMatchObject({ fault: 'lost', operations: [3] });
  });

  it('takes an event for missed rightly that retention had removed before its reader started afresh', () => {
    expect(
      faults(({ stored, readers }) => {
        stored.events[1]!.removedAt = 4_999;
        startAfresh(readers);
      }),
    ).toEqual([]);
  });

  it('takes an event for missed rightly that retention had removed although an older one was still there', () => {
    expect(
      faults(({ stored, readers }) => {
        stored.events[2]!.removedAt = 4_999;
        readers[0]!.deliveries.push({ after: undefined, ids: ['e1', 'e3'], afreshAt: 5_000 });
      }),
    ).toEqual([]);
  });
  it('takes events that come again to a reader who starts afresh for right', () => {
    expect(
      faults(({ readers }) => {
        readers[0]!.deliveries.push({ after: undefined, ids: ['e1', 'e2', 'e3'], afreshAt: 5_000 });
      }),
    ).toEqual([]);
  });

  it('takes a race without a winner for possible while somebody has no answer', () => {
    expect(
      faults(({ operations, stored }) => {
        operations[1]!.attempts = [{ outcome: 'unknown', reason: 'cut' }];
        stored.handoffs[0]!.session = 's1';
      }),
    ).toEqual([]);
  });
});

describe('the check of a reader that follows by as_of', () => {
  const handoffs = [{ ...THREAD, id: 't1', status: 'pending', session: null, messageCount: 1 }];
  const faultsOf = (moved: [string, number][]): Fault[] =>
    unseen({ agent: 'frank', moved: new Map(moved) }, handoffs).map(({ fault }) => fault);

  it('finds nothing where it knows every thread as it is, and does not care for those of others', () => {
    expect(faultsOf([['t1', 1_000]])).toEqual([]);
    expect(unseen({ agent: 'jane', moved: new Map() }, handoffs)).toEqual([]);
  });

  it('finds a thread that it never saw', () => {
    expect(faultsOf([])).toEqual(['unseen']);
  });

  it('finds a change that it never saw', () => {
    expect(faultsOf([['t1', 999]])).toEqual(['unseen']);
  });
});

describe('the check of keys that end under load', () => {
  const key = (changes: Partial<KeyLog>, disabled: { from: number; until: number }[] = []): Fault[] =>
    outlived({
      id: 'k1',
      agent: { handle: 'leaver', disabled },
      endedAt: undefined,
      uses: [],
      refusals: 0,
      ...changes,
    }).map(({ fault }) => fault);

  it('finds nothing where calls begin before the end, or within a second of it', () => {
    expect(key({ uses: [1, 99_999] })).toEqual([]);
    expect(key({ endedAt: 5_000, uses: [4_999, 6_000] })).toEqual([]);
  });

  it('finds a call that began more than a second after the end of its key', () => {
    expect(key({ endedAt: 5_000, uses: [6_001] })).toEqual(['outlived']);
  });

  it('finds a call of an agent that was disabled for more than a second, and none from when it was to be enabled', () => {
    expect(key({ uses: [6_000, 6_001, 8_000] }, [{ from: 5_000, until: 8_000 }])).toEqual(['outlived']);
  });
});

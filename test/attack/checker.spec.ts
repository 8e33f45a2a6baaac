import { atMost } from '../bench/table';
import { judge } from './checker';
import { type Evidence, Ledger } from './evidence';
import type { Struck } from './strike';

/** What an attack shows that breaks no rule. */
function harmless(): Evidence {
  return {
    attack: 'an attack',
    outcomes: { 200: 3, 413: 2 },
    faults: [],
    figures: [{ what: 'CPU', value: 3, shown: '3 ms', budget: atMost(5, '5 ms'), ofSpeed: true }],
    claims: [{ what: 'others are served', holds: true, seen: 'all' }],
    endedBy: undefined,
    failure: undefined,
    peakMiB: 200,
    servesAfter: true,
  };
}

const REPRODUCTION = 'npm run attack -- --seed 1';

function broken(planted: Partial<Evidence>): string[] {
  return judge({ ...harmless(), ...planted }, REPRODUCTION).violations.map(({ what }) => what);
}

describe('the judgement of an attack', () => {
  it('finds nothing where no rule is broken, and has a line for each rule', () => {
    const { rows, violations } = judge(harmless(), REPRODUCTION);
    expect(violations).toEqual([]);
    expect(rows.map(({ work, verdict }) => [work, verdict])).toEqual([
      ['an attack: the process lives', 'met'],
      ['an attack: peak memory', 'met'],
      ['an attack: a handoff goes through afterwards', 'met'],
      ['an attack: faulty answers', 'met'],
      ['an attack: CPU', 'met'],
      ['an attack: others are served', 'met'],
    ]);
  });

  it.each<[what: string, planted: Partial<Evidence>, told: RegExp]>([
    ['a process that has ended', { endedBy: 'SIGABRT: heap' }, /the process lives: SIGABRT: heap/],
    ['an attack that could not go on', { failure: 'socket hang up' }, /carried out to its end: socket hang up/],
    ['memory beyond the bound', { peakMiB: 513 }, /peak memory: 513 MiB, allowed ≤ 512 MiB/],
    ['memory that nobody could read', { peakMiB: Number.NaN }, /peak memory/],
    ['a relay that serves nobody afterwards', { servesAfter: false }, /a handoff goes through afterwards: no/],
    [
      'a figure beyond its budget',
      { figures: [{ what: 'CPU', value: 6, shown: '6 ms', budget: atMost(5, '5 ms'), ofSpeed: true }] },
      /CPU: 6 ms, allowed ≤ 5 ms/,
    ],
    [
      'a figure that could not be taken',
      { figures: [{ what: 'CPU', value: Number.NaN, shown: '–', budget: atMost(5, '5 ms'), ofSpeed: true }] },
      /CPU/,
    ],
    ['a claim that does not hold', { claims: [{ what: 'closed', holds: false, seen: '3 not' }] }, /closed: 3 not/],
  ])('finds %s', (_what, planted, told) => {
    expect(broken(planted)).toEqual([expect.stringMatching(told)]);
  });

  it('tells each faulty answer with its own reproduction', () => {
    const faults = [{ fault: 'status 500', reproduction: 'body 7 of seed 1' }];
    const { violations } = judge({ ...harmless(), faults }, REPRODUCTION);
    expect(violations).toContainEqual({
      attack: 'an attack',
      what: 'status 500',
      reproduction: 'body 7 of seed 1',
    });
  });

  it('leaves out figures of speed where speed is not measured, and only those', () => {
    const figures = [
      { what: 'CPU', value: 6, shown: '6 ms', budget: atMost(5, '5 ms'), ofSpeed: true },
      { what: 'bytes', value: 6, shown: '6', budget: atMost(5, '5'), ofSpeed: false },
    ];
    const { violations } = judge({ ...harmless(), figures }, REPRODUCTION, { speed: false });
    expect(violations.map(({ what }) => what)).toEqual(['bytes: 6, allowed ≤ 5']);
  });

  it('takes a figure without a budget for information', () => {
    expect(
      broken({ figures: [{ what: 'answered', value: 9, shown: '9', budget: undefined, ofSpeed: false }] }),
    ).toEqual([]);
  });
});

describe('the ledger', () => {
  const answered = (status: Struck['status'], headers: Record<string, string> = {}): Struck => {
    const reply = typeof status === 'number' ? { status, headers, body: Buffer.from('{}') } : undefined;
    return { status, reply, ms: 1, closedMs: undefined };
  };
  const faultsOf = (struck: Struck, expected = {}): string[] => {
    const ledger = new Ledger();
    ledger.take(struck, expected, 'again');
    return ledger.faults.map(({ fault }) => fault);
  };

  it('counts answers by their status', () => {
    const ledger = new Ledger();
    for (const status of [200, 413, 413, 'closed', 'hung'] as const) ledger.take(answered(status), {}, 'again');
    expect(ledger.outcomes).toEqual({ 200: 1, 413: 2, closed: 1, hung: 1 });
  });

  it.each([200, 204, 400, 401, 404, 413, 429])('takes %s for a good answer', (status) => {
    expect(faultsOf(answered(status))).toEqual([]);
  });

  it.each([
    [answered(500), {}, /^status 500/],
    [answered(502), { mayClose: true, mayBeBusy: true }, /^status 502/],
    [answered('hung'), { mayClose: true, mayBeBusy: true }, /^no answer/],
    [answered('closed'), { mayBeBusy: true }, /^hung up without an answer/],
    [answered(503, { 'retry-after': '1' }), {}, /^status 503/],
    [answered(503), { mayBeBusy: true }, /^status 503 without Retry-After/],
  ])('takes %j for a fault where %j is allowed', (struck, expected, fault) => {
    expect(faultsOf(struck, expected)).toEqual([expect.stringMatching(fault)]);
  });

  it('lets the relay hang up, or be busy, only where that is allowed', () => {
    expect(faultsOf(answered('closed'), { mayClose: true })).toEqual([]);
    expect(faultsOf(answered(503, { 'retry-after': '1' }), { mayBeBusy: true })).toEqual([]);
  });
});

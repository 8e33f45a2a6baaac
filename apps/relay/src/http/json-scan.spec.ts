import { LIMITS, RelayError, textFault } from '@agentrelay/protocol';
import fc from 'fast-check';
import { jsonFault } from './json-fault';
import { parseScanned, scanJson } from './json-scan';

/** How many values a parsed JSON text holds. */
function valuesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, member) => sum + valuesOf(member), 1);
}

function parsed(bytes: Uint8Array): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) };
  } catch {
    return undefined;
  }
}

function scanned(bytes: Uint8Array) {
  try {
    return scanJson(bytes, false);
  } catch (error) {
    if (error instanceof RelayError && error.symbol === 'parse_error') return undefined;
    throw error;
  }
}

/** JSON in spellings that `JSON.stringify` does not choose. */
const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\t', '\r'), maxLength: 2 });
const unit = fc.oneof(
  fc.constantFrom(
    'a',
    '🙂',
    'é',
    '\\n',
    '\\"',
    '\\\\',
    '\\/',
    '\\u0000',
    '\\ud83d',
    '\\ude00',
    '\\uD83D\\uDE00',
    '\\u005f',
    '_',
  ),
  fc.string({ minLength: 1, maxLength: 1 }).map((text) => JSON.stringify(text).slice(1, -1)),
);
const text = fc.string({ unit, maxLength: 6 }).map((inner) => `"${inner}"`);
const name = fc.oneof(
  text,
  fc.constantFrom('"__proto__"', '"\\u005f_proto__"', '"__proto__x"', '"constructor"', '"a"'),
);
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.bigInt().map(String),
  fc
    .tuple(fc.integer(), fc.nat(999), fc.constantFrom('e', 'E', 'e+', 'e-', 'E-'), fc.nat(500))
    .map(([whole, part, e, power]) => `${whole}.${part}${e}${power}`),
  fc.constantFrom('0', '-0', '1e400', '-1e400', '1e308', '9007199254740991', '9007199254740992', '-9007199254740993'),
);
const json = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    number,
    text,
    fc.constantFrom('true', 'false', 'null'),
    fc
      .array(
        fc.tuple(space, tie('value'), space).map((parts) => parts.join('')),
        { maxLength: 4 },
      )
      .map((list) => `[${list.join(',')}]`),
    fc
      .array(
        fc.tuple(space, name, space, fc.constant(':'), space, tie('value'), space).map((parts) => parts.join('')),
        { maxLength: 4 },
      )
      .map((members) => `{${members.join(',')}}`),
    space.map((inner) => `[${inner}]`),
    space.map((inner) => `{${inner}}`),
  ),
})).value;
/** Almost JSON: one byte is left out, doubled or replaced. */
const damaged = fc
  .tuple(json, fc.nat(), fc.nat(2), fc.constantFrom(...Array.from('{}[]",:\\u01-+.eEtfn \u0001\u001f'), '\ud800', 'é'))
  .map(([good, at, how, other]) => {
    const place = at % (good.length + 1);
    return [
      good.slice(0, place),
      how === 0 ? '' : how === 1 ? (good[place] ?? '').repeat(2) : other,
      good.slice(place + 1),
    ].join('');
  });
const soup = fc.string({ unit: fc.constantFrom(...Array.from('{}[]",:\\u0019-+.eEtruefalsn \n')), maxLength: 14 });
const bytes = fc.oneof(
  json.map((good) => Buffer.from(good)),
  json.map((good) => Buffer.from(`\ufeff${good}`)),
  damaged.map((bad) => Buffer.from(bad)),
  soup.map((bad) => Buffer.from(bad)),
  fc.uint8Array({ maxLength: 12 }).map((any) => Buffer.from(any)),
  fc.tuple(json, fc.nat(), fc.nat(255)).map(([good, at, byte]) => {
    const all = Buffer.from(good);
    all[at % all.length] = byte;
    return all;
  }),
);

/** Whether a text holds what must not be taken in, looked for in what JSON.parse tells of it. */
function isUnfit(text: string): boolean {
  let unfit = false;
  const fits = (part: string): boolean => textFault(part) === undefined;
  JSON.parse(text, (key, value: unknown) => {
    if (key === '__proto__' || !fits(key) || (typeof value === 'string' && !fits(value))) unfit = true;
    if (typeof value === 'number' && !Number.isFinite(value)) unfit = true;
    return value;
  });
  const withoutTexts = text.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  for (const [integer] of withoutTexts.matchAll(/(?<![\d.eE+-])-?\d+(?![\d.eE])/g)) {
    const size = BigInt(integer);
    if (size > BigInt(Number.MAX_SAFE_INTEGER) || size < -BigInt(Number.MAX_SAFE_INTEGER)) unfit = true;
  }
  return unfit;
}

/** Texts in which no name stands twice: of several, JSON.parse tells only the last. */
function hasRepeatedNames(text: string, value: unknown): boolean {
  return scanJson(Buffer.from(text), false).values !== valuesOf(value);
}

describe('the scan of a JSON text', () => {
  it('accepts exactly what JSON.parse accepts, and counts the same values', () => {
    fc.assert(
      fc.property(bytes, (body) => {
        const expected = parsed(body);
        const scan = scanned(body);
        expect(scan === undefined).toBe(expected === undefined);
        if (scan === undefined || expected === undefined) return;
        expect(parseScanned(body)).toEqual(expected.value);
        expect(scan.values).toBeGreaterThanOrEqual(valuesOf(expected.value));
      }),
      { numRuns: 3_000 },
    );
  });

  it('counts every value of texts without repeated names', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const all = Buffer.from(JSON.stringify(value));
        expect(scanJson(all, false).values).toBe(valuesOf(JSON.parse(all.toString())));
      }),
      { numRuns: 1_000 },
    );
  });

  it('finds a fault exactly in what must not be taken in', () => {
    fc.assert(
      fc.property(json, (good) => {
        const value = JSON.parse(good) as unknown;
        if (hasRepeatedNames(good, value)) return;
        expect(scanJson(Buffer.from(good), false).faults[0] !== undefined).toBe(isUnfit(good));
      }),
      { numRuns: 3_000 },
    );
  });

  it('gives each entry of a list of requests its own fault and depth', () => {
    const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const entries = ['1', '{"a":1e400}', deep(LIMITS.jsonDepth), deep(LIMITS.jsonDepth + 1), '"\\u0000"', '{}'];
    const scan = scanJson(Buffer.from(`[${entries.join(' , ')}]`), true);
    expect(scan.entries).toBe(6);
    expect(entries.map((_, index) => scan.faults[index]?.kind)).toEqual([
      undefined,
      'overflow',
      undefined,
      'depth',
      'nul',
      undefined,
    ]);
    expect(scanJson(Buffer.from(' [ ] '), true)).toMatchObject({ entries: 0, values: 1 });
    expect(scanJson(Buffer.from('{"a":[1]}'), true)).toMatchObject({ entries: undefined, values: 3 });
  });

  it.each([
    [
      '{"a":[1,{"b":9007199254740992}]}',
      'a[1].b is an integer beyond ±(2^53−1), which JSON readers round; send it as a string.',
    ],
    [
      '{"x":"a,:]}{[","n":-9007199254740992}',
      'n is an integer beyond ±(2^53−1), which JSON readers round; send it as a string.',
    ],
    ['{"a":{},"b":[[],[0,"\\ud800"]]}', 'b[1][1] contains half of a surrogate pair.'],
    ['[{"\\u0061\\"":"\\u0000"}]', '[0].a" contains a NUL character.'],
    ['{"a":{"\\u0000k":1}}', 'a."\\u0000k" contains a NUL character.'],
    ['{"a":[{"__pro\\u0074o__":1}]}', 'a[0]."__proto__" is not allowed as a name.'],
    ['1e999', 'the request is a number beyond what JSON readers can hold; send it as a string.'],
    ['"\\ude00\\ud83d"', 'the request contains half of a surrogate pair.'],
  ])('names the place of the fault in %s', (good, message) => {
    const body = Buffer.from(good);
    expect(jsonFault(body, scanJson(body, false).faults[0]!).message).toBe(message);
  });

  it('takes as many values as it may, and refuses one more before anything is built', () => {
    const list = (values: number) => Buffer.from(`[${'0,'.repeat(values - 2)}0]`);
    expect(scanJson(list(LIMITS.jsonValues), false).values).toBe(LIMITS.jsonValues);
    expect(() => scanJson(list(LIMITS.jsonValues + 1), false)).toThrow(/holds more than 100000 JSON values/);
    // What follows is not looked at any more.
    expect(() => scanJson(Buffer.from(`[${'0,'.repeat(LIMITS.jsonValues)}`), false)).toThrow(/JSON values/);
  });
});

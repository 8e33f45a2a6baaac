import fc from 'fast-check';

/** Stands for the id of a thread that exists when the request is sent. */
export const TASK_ID = '00000000-7a5c-7000-8000-000000000000';

const PROTOTYPE_NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'then'];

const ODD_TEXTS = [
  '', ' ', '\u0000', '\ud800', '\udc00x', '\ufeff', '\u202eevil', '\u200b', '\u2028\u2029', '\uffff', 'é', 'e\u0301',
  '👩‍👩‍👧‍👦', '𝕳𝖊𝖑𝖑𝖔', 'İ', 'ß', 'K', '\r\nX-Injected: 1', '../../etc/passwd', '%00', '%s%n', '${7*7}', '<script>1</script>',
  "'; DROP TABLE agents; --", '\\', '"', '\\u0000', '-1', '0', '1e309', 'null', 'true', '[]', '{}', 'NaN', '2025-13-45T99:99:99Z',
  '2025-01-01T00:00:00Z', '+275760-09-13T00:00:00.001Z', 'victim@acme', 'VICTIM@ACME', 'victim', 'ann@@acme', '@', 'me', TASK_ID,
  TASK_ID.toUpperCase(), '0198f7c0-0000-7000-8000-000000000000', 'a'.repeat(300), '€'.repeat(10_001), 'x'.repeat(100_001),
]; // prettier-ignore

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...ODD_TEXTS, ...PROTOTYPE_NAMES) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
  {
    weight: 1,
    arbitrary: fc.string({
      unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      maxLength: 12,
    }),
  },
);

const ODD_NUMBERS = [-1, -0, 0, 0.5, 1, 7, 201, 10_002, 50_001, 1e9, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324];

/** Any value that JSON can carry, at times wide, deep or with names that objects have by nature. */
export const { hostileValue } = fc.letrec<{ hostileValue: unknown }>((tie) => ({
  hostileValue: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: hostileText },
    { weight: 3, arbitrary: fc.constantFrom<unknown>(null, true, false, ...ODD_NUMBERS) },
    { weight: 2, arbitrary: fc.array(tie('hostileValue'), { maxLength: 4 }) },
    { weight: 2, arbitrary: fc.dictionary(hostileText, tie('hostileValue'), { maxKeys: 4 }) },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 1, max: 300 }).map((width) => Array.from({ length: width }, (_, i) => i)),
    },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 60 }).map(nested) },
  ),
}));

function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

/** A good object with a few members left out, replaced or added. */
export function damaged(good: object): fc.Arbitrary<object> {
  const names = Object.keys(good);
  const member = names.length === 0 ? hostileText : fc.oneof(fc.constantFrom(...names), hostileText);
  const damage = fc.tuple(member, fc.option(hostileValue, { nil: undefined, freq: 4 }));
  return fc.array(damage, { minLength: 1, maxLength: 3 }).map((damages) => {
    const result: Record<string, unknown> = { ...good };
    for (const [name, value] of damages) {
      Object.defineProperty(result, name, { value, enumerable: true, configurable: true, writable: true });
    }
    return result;
  });
}

/** JSON text as a careless or malicious program would write it. */
export function spoilt(json: string): fc.Arbitrary<Buffer> {
  const bytes = Buffer.from(json);
  const place = fc.nat({ max: Math.max(bytes.length - 1, 0) });
  return fc.oneof(
    place.map((at) => bytes.subarray(0, at)),
    fc.tuple(place, fc.nat({ max: 255 })).map(([at, byte]) => {
      const copy = Buffer.from(bytes);
      copy[at] = byte;
      return copy;
    }),
    fc.constantFrom('\ufeff', ' \n\t', '//', '\u0000').map((start) => Buffer.from(start + json)),
    fc.constantFrom('}', ',', '\u0000', json, ' // end', '\n').map((end) => Buffer.from(json + end)),
    fc
      .constantFrom('utf16le' as const, 'base64' as const, 'hex' as const)
      .map((form) =>
        Buffer.from(
          Buffer.from(json, form === 'utf16le' ? form : 'utf8').toString(form === 'utf16le' ? 'latin1' : form),
          'latin1',
        ),
      ),
    fc.constant(Buffer.from(json.replace(/"/g, "'"))),
    fc
      .constantFrom(
        '1e400',
        '-1e999',
        '01',
        'NaN',
        '1'.repeat(5_000),
        '"\\ud800"',
        '"\\u0000"',
        '[1,]',
        '{"a":1,"a":2}',
      )
      .map((odd) => Buffer.from(json.replace(/\{/, `{"metadata":{"n":${odd}},"params":{"metadata":{"n":${odd}}},`))),
    fc.integer({ min: 30, max: 20_000 }).map((depth) => Buffer.from('['.repeat(depth) + ']'.repeat(depth))),
    fc.uint8Array({ maxLength: 200 }).map((noise) => Buffer.from(noise)),
  );
}

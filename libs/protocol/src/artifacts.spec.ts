import fc from 'fast-check';
import { ARTIFACT_MEMBERS, ARTIFACT_TYPES, artifactFault, jsonBytes, type MemberRule } from './artifacts';
import { LIMITS } from './limits';

const GOOD: Record<MemberRule['kind'], unknown> = {
  text: 'x',
  url: 'https://example.com',
  line_range: [1, 2],
  json: { a: 1 },
};

const MEMBERS = ARTIFACT_TYPES.flatMap((type) =>
  Object.entries(ARTIFACT_MEMBERS[type]).map(([member, rule]) => ({ type, member, rule: rule as MemberRule })),
);

function whole(type: string): Record<string, unknown> {
  const members = MEMBERS.filter((entry) => entry.type === type);
  return { type, ...Object.fromEntries(members.map(({ member, rule }) => [member, GOOD[rule.kind]])) };
}

describe('artifactFault', () => {
  it.each(ARTIFACT_TYPES)('takes a whole %s, and one with unknown members', (type) => {
    expect(artifactFault(whole(type))).toBeUndefined();
    expect(artifactFault({ ...whole(type), colour: { any: ['thing'] } })).toBeUndefined();
  });

  it.each(MEMBERS)('asks for $member of $type only where it is required', ({ type, member, rule }) => {
    const { [member]: _, ...rest } = whole(type);
    const fault = rule.required ? `${member} is required` : undefined;
    expect([artifactFault(rest), artifactFault({ ...rest, [member]: null })]).toEqual([fault, fault]);
  });

  it.each(MEMBERS.filter(({ rule }) => rule.kind !== 'json'))('refuses a boolean as $member of $type', (entry) => {
    expect(artifactFault({ ...whole(entry.type), [entry.member]: true })).toMatch(`${entry.member} must be `);
  });

  it.each(MEMBERS.filter(({ rule }) => rule.kind === 'text'))('refuses NUL in $member of $type', (entry) => {
    expect(artifactFault({ ...whole(entry.type), [entry.member]: '\u0000' })).toBe(
      `${entry.member} contains a NUL character`,
    );
  });

  it.each([
    [[0, 0], true],
    [[1, 9_007_199_254_740_991], true],
    [[1, 9_007_199_254_740_992], false],
    [[2, 1], false],
    [[-1, 1], false],
    [[-0, 1], true],
    [[1.5, 2], false],
    [[NaN, 2], false],
    [[1], false],
    [[1, 2, 3], false],
  ])('takes the lines %p: %s', (lines, good) => {
    expect(artifactFault({ type: 'file_ref', path: 'a', lines }) === undefined).toBe(good);
  });

  it('does not look for members where objects inherit them', () => {
    const inherited = Object.create({ type: 'link', url: 'https://a.b' }) as object;
    expect(artifactFault(inherited)).toBe('url is required');
    expect(artifactFault({ type: 'constructor' })).toMatch(/^type must be one of/);
  });

  it('holds to its limits to the byte', () => {
    const inline = (bytes: number) => ({ type: 'api_contract', inline: 'x'.repeat(bytes - 2) });
    expect(artifactFault(inline(LIMITS.inlineBytes))).toBeUndefined();
    expect(artifactFault(inline(LIMITS.inlineBytes + 1))).toBe('inline must be at most 262144 bytes of JSON');
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...ARTIFACT_TYPES), fc.jsonValue(), (any, type, member) => {
        const faults = MEMBERS.map((entry) => artifactFault({ type, [entry.member]: member }));
        for (const fault of [artifactFault(any), ...faults]) expect(['string', 'undefined']).toContain(typeof fault);
      }),
    );
  });
});

it('jsonBytes counts the bytes of the encoded text', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => jsonBytes(value) === Buffer.byteLength(JSON.stringify(value))));
});
